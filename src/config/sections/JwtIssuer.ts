import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { Issuer, SafeUrl } from "./Issuer.ts"
import { Limits } from "./Model.ts"
import { ModelPattern, Text } from "./values.ts"

/** `account` by a claim. */
export const AccountClaim = Schema.Struct({
  claim: requiredField(
    Text,
    "The claim that tells: a text, or a list of texts of which `values` may name one account."
  ),
  values: requiredField(
    Schema.Record({ key: Schema.String, value: Text }),
    "Account ids by the claim's value: `{ research: team-a }`."
  ),
  otherwise: optionalField(Text, "The account of tokens that `values` does not name; `refuse`: none.", "`refuse`")
})
export type AccountClaim = typeof AccountClaim.Type

/** An entry of `sign_in.jwt`: an issuer whose tokens are API keys. */
export const JwtIssuer = Schema.Struct({
  issuer: requiredField(Issuer, "The issuer, exactly as its tokens name it (`iss`)."),
  jwks_uri: optionalField(
    SafeUrl,
    "The address of its public keys.",
    "found by `<issuer>/.well-known/openid-configuration`, with the algorithms that it names"
  ),
  audience: requiredField(Text, "Whom its tokens are for (`aud`), exactly."),
  account: requiredField(
    Schema.Union(Text, AccountClaim),
    "The account that its tokens open: an id, or [by a claim](#accounts-of-tokens). It is created where it does not exist."
  ),
  subject: optionalField(
    Text,
    "The claim that names who calls: `client_id` for machines of many issuers. Each has a key record of its own.",
    "`sub`"
  ),
  models: optionalField(Schema.NonEmptyArray(ModelPattern), "Patterns of the models that its tokens may use.", "all"),
  limits: optionalField(
    Limits,
    "The [limits](#limits) of each subject; those of its key record and of its account apply too.",
    "none"
  )
})
export type JwtIssuer = typeof JwtIssuer.Type
