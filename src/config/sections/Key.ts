import { Schema } from "effect"
import { Unpriced } from "../../contract/Caller.ts"
import { WrittenBudgets } from "../../contract/WrittenBudget.ts"
import { secretOf } from "../SecretFiles.ts"
import { given, needed } from "./given.ts"
import { KeyLimits } from "./Model.ts"
import { Balance, Count, ModelPattern, Moment, Pattern, Text } from "./values.ts"

/** A key declared in the file: created, changed and revoked with its entry. */
export const DeclaredKey = Schema.Struct({
  name: needed(Text, "Identifies the key when its other fields change."),
  secret: needed(
    secretOf(Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))),
    "The API key that callers send, 24 characters or more."
  ),
  account: given(Text, "The account that owns the key.", "an account of its own, with the key's name"),
  models: given(Schema.NonEmptyArray(ModelPattern), "Patterns of the models that the key may use (`claude-*`).", "all"),
  not_models: given(
    Schema.Array(ModelPattern),
    "Patterns of models that the key may not use, even if `models` matches them.",
    "none"
  ),
  upstreams: given(
    Schema.NonEmptyArray(Text),
    "Names of the upstreams that may serve the key. Routes to others are left out.",
    "all"
  ),
  choose_route: given(
    Schema.Boolean,
    "Allows the header `x-gateway-route`, with which a request [chooses among its model's routes](#choosing-a-route).",
    "`false`"
  ),
  balance_usd: given(
    Balance,
    "A grant to the account, made once. If the figure changes, the difference is granted or withdrawn.",
    "the account is unmetered, unless it was credited in another way"
  ),
  unpriced: given(
    Unpriced,
    "Permits or refuses models without a price for a key with a balance or a budget ([prices](#prices)).",
    "the account's"
  ),
  budgets: given(
    WrittenBudgets,
    "`[{ usd: 50, per: month }]`: the most that the key may use in a window ([budgets](#budgets)); 20 entries at most.",
    "none"
  ),
  expires_at: given(Moment, "When the key expires: `2027-01-31` (UTC) or `2027-01-31T12:00:00Z`.", "never"),
  limits: given(KeyLimits, "The key's [limits](#limits), in addition to its account's.", "none")
})

/** An entry of `accounts`. */
export const Account = Schema.Struct({
  models: given(
    Schema.NonEmptyArray(ModelPattern),
    "Patterns of the models that the account's keys may use, in addition to their own rules.",
    "all"
  ),
  not_models: given(Schema.Array(ModelPattern), "Patterns of models that the account's keys may not use.", "none"),
  unpriced: given(
    Unpriced,
    "Permits or refuses models without a price for the keys of an account with a balance.",
    "the top level's"
  ),
  hold_output_tokens: given(
    Count,
    "Like a [model's](#models), for the account's requests; the smaller value applies.",
    "the model's"
  ),
  budgets: given(
    WrittenBudgets,
    "The same as a key's, for all keys of the account together ([budgets](#budgets)).",
    "none"
  ),
  trusts_end_user: given(
    Schema.Boolean,
    "`true`: budgets with `each: end_user` believe the end user that a request names; otherwise all count as one.",
    "`false`"
  ),
  record: given(
    Schema.Struct({
      bodies: Schema.Literal("on", "off"),
      redact: Schema.optional(Schema.Array(Pattern))
    }),
    "`{ bodies: on }` keeps the [bodies of the account's requests and answers](operations.md#bodies), without matches of the regular expressions in `redact`.",
    "no bodies are kept"
  )
})
