import { Schema } from "effect"
import { Unpriced } from "../../contract/Caller.ts"
import { given, needed } from "./given.ts"
import { Limits } from "./Model.ts"
import { Balance, Count, Pattern, Text } from "./values.ts"

/** A key that the file keeps: made with it, changed with it, revoked once it is gone from it. */
export const DeclaredKey = Schema.Struct({
  name: needed(Text, "What makes it the same key when the rest changes."),
  secret: needed(
    Schema.Redacted(Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))),
    "What callers send: 24 characters or more."
  ),
  account: given(Text, "Whose key it is.", "an account of its own, with the key's name"),
  models: given(Schema.NonEmptyArray(Text), "Patterns of the models it may use (`claude-*`).", "all"),
  balance_usd: given(
    Balance,
    "A grant to its account, given once however often the gateway starts; another figure grants or withdraws the difference.",
    "the account is unmetered, unless it was credited otherwise"
  ),
  unpriced: given(
    Unpriced,
    "Whether it may use models without a price although its money is counted ([prices](#prices)).",
    "what its account says"
  ),
  limits: given(Limits, "Its [limits](#limits); those of its account hold beside them.", "none")
})

/** An entry of `accounts`. */
export const Account = Schema.Struct({
  unpriced: given(
    Unpriced,
    "Whether its keys may use models without a price although its money is counted.",
    "what the top level says"
  ),
  hold_output_tokens: given(
    Count,
    "As of a [model](#models), for its requests; the smaller one counts.",
    "the model's"
  ),
  record: given(
    Schema.Struct({
      bodies: Schema.Literal("on", "off"),
      redact: Schema.optional(Schema.Array(Pattern))
    }),
    "`{ bodies: on }` keeps [bodies of its requests and answers](operations.md#bodies) beside their rows, without what the regular expressions in `redact` match.",
    "no bodies are kept"
  )
})
