import { Schema } from "effect"
import { eachSetting } from "../../contract/callers/accountSettings.ts"
import { eachKeySetting } from "../../contract/callers/keySettings.ts"
import type { SettingRow } from "../../contract/callers/settingRows.ts"
import { GuardrailNames } from "../../contract/callers/GuardrailNames.ts"
import { ToolPatterns } from "../../contract/callers/toolRule.ts"
import { Unpriced } from "../../contract/callers/Caller.ts"
import { WrittenBudgets } from "../../contract/budgets/WrittenBudget.ts"
import { secretOf } from "../SecretFiles.ts"
import { optionalField, requiredField } from "./fields.ts"
import { KeyLimits } from "./Model.ts"
import { TelemetryContents } from "./Telemetry.ts"
import { Balance, Count, ModelPattern, Moment, Pattern, Text } from "./values.ts"

const settingFields = {
  switch: ({ absent, inFile }: SettingRow) => optionalField(Schema.Boolean, inFile, absent),
  count: ({ absent, inFile }: SettingRow) => optionalField(Count, inFile, absent),
  patterns: ({ absent, inFile }: SettingRow) => optionalField(ToolPatterns, inFile, absent),
  names: ({ absent, inFile }: SettingRow) => optionalField(GuardrailNames, inFile, absent)
}

/** A key declared in the file: created, changed and revoked with its entry. */
export const DeclaredKey = Schema.Struct({
  name: requiredField(Text, "Identifies the key when its other fields change."),
  secret: requiredField(
    secretOf(Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))),
    "The API key that callers send, 24 characters or more."
  ),
  account: optionalField(Text, "The account that owns the key.", "an account of its own, with the key's name"),
  models: optionalField(
    Schema.NonEmptyArray(ModelPattern),
    "Patterns of the models that the key may use (`claude-*`).",
    "all"
  ),
  not_models: optionalField(
    Schema.Array(ModelPattern),
    "Patterns of models that the key may not use, even if `models` matches them.",
    "none"
  ),
  upstreams: optionalField(
    Schema.NonEmptyArray(Text),
    "Names of the upstreams that may serve the key. Routes to others are left out.",
    "all"
  ),
  ...eachKeySetting(settingFields),
  balance_usd: optionalField(
    Balance,
    "A grant to the account, made once. If the figure changes, the difference is granted or withdrawn.",
    "the account is unmetered, unless it was credited in another way"
  ),
  unpriced: optionalField(
    Unpriced,
    "Permits or refuses models without a price for a key with a balance or a budget ([prices](#prices)).",
    "the account's"
  ),
  budgets: optionalField(
    WrittenBudgets,
    "`[{ usd: 50, per: month }]`: the most that the key may use in a window ([budgets](#budgets)); 20 entries at most.",
    "none"
  ),
  expires_at: optionalField(Moment, "When the key expires: `2027-01-31` (UTC) or `2027-01-31T12:00:00Z`.", "never"),
  limits: optionalField(KeyLimits, "The key's [limits](#limits), in addition to its account's.", "none")
})

/** An entry of `accounts`. */
export const Account = Schema.Struct({
  models: optionalField(
    Schema.NonEmptyArray(ModelPattern),
    "Patterns of the models that the account's keys may use, in addition to their own rules.",
    "all"
  ),
  not_models: optionalField(
    Schema.Array(ModelPattern),
    "Patterns of models that the account's keys may not use.",
    "none"
  ),
  unpriced: optionalField(
    Unpriced,
    "Permits or refuses models without a price for the keys of an account with a balance.",
    "the top level's"
  ),
  budgets: optionalField(
    WrittenBudgets,
    "The same as a key's, for all keys of the account together ([budgets](#budgets)).",
    "none"
  ),
  ...eachSetting(settingFields),
  record: optionalField(
    Schema.Struct({
      bodies: Schema.Literal("on", "off"),
      redact: Schema.optional(Schema.Array(Pattern))
    }),
    "`{ bodies: on }` keeps the [bodies of the account's requests and answers](operations.md#bodies), without matches of the regular expressions in `redact`.",
    "no bodies are kept"
  ),
  telemetry_contents: optionalField(
    TelemetryContents,
    "What [traces](operations.md#contents-in-traces) of the account's requests carry of prompts and answers: `off`, `redacted` or `all`.",
    "the top level's"
  )
})
