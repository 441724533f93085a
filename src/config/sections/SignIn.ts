import { Schema } from "effect"
import { needsAccounts, rolesOfPeople } from "../../contract/callers/roles.ts"
import { AccountPatterns } from "./AdminKey.ts"
import { optionalField, requiredField } from "./fields.ts"
import { Issuer } from "./Issuer.ts"
import { JwtIssuer } from "./JwtIssuer.ts"
import { Secret, Text } from "./values.ts"

/** Parameters that are the gateway's to set. */
const own = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "nonce",
  "redirect_uri",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "scope",
  "state"
])

/** A provider that people sign in with. */
export const OidcProvider = Schema.Struct({
  issuer: requiredField(Issuer, "The provider's address, exactly as its tokens name it; the rest is found from it."),
  label: optionalField(Text, "The provider's name on the button: `Sign in with Example Ltd`.", "the issuer's host"),
  client_id: requiredField(Text, "The gateway's id at the provider."),
  client_secret: requiredField(Secret, "Its secret there."),
  scopes: optionalField(
    Schema.Array(Text),
    "What is asked for. `offline_access` brings the refresh token by which a removed person is noticed.",
    "`[openid, email, profile, offline_access]`"
  ),
  groups_claim: optionalField(
    Text,
    "The claim that lists a person's groups, in the ID token or in userinfo.",
    "`groups`"
  ),
  parameters: optionalField(
    Schema.Record({ key: Text, value: Schema.String }).pipe(
      Schema.filter((given) => {
        const taken = Object.keys(given).find((name) => own.has(name))
        return taken === undefined || { path: [taken], message: "the gateway sets this parameter itself" }
      })
    ),
    "More parameters of the sign-in's address: `{ access_type: offline, prompt: consent }` for Google's refresh token.",
    "none"
  )
})
export type OidcProvider = typeof OidcProvider.Type

const Group = Text.pipe(
  Schema.filter((text) => !text.slice(0, -1).includes("*"), {
    message: () => "expected a group's name, or its beginning and `*`: team-*"
  })
)

/** A rule that gives people a role. */
export const RoleRule = Schema.Struct({
  group: optionalField(Group, "For people of this group; `team-*` is every group whose name begins so."),
  email: optionalField(Text.pipe(Schema.pattern(/^[^@\s]+@[^@\s]+$/)), "For this verified e-mail address."),
  domain: optionalField(Text.pipe(Schema.pattern(/^[^@\s]+$/)), "For verified e-mail addresses of this domain."),
  role: requiredField(Schema.Literal(...rolesOfPeople), "The [role](people.md#roles)."),
  accounts: optionalField(
    AccountPatterns,
    "The accounts that it reaches: ids, `team-*`, or `{group}` for the matched group's name. A role that never reaches all, such as `member`, needs them.",
    "all"
  ),
  bodies: optionalField(
    Schema.Boolean,
    "Whether an auditor or a manager is shown recorded bodies by the admin API and the console. A manager can make keys of the account, and these read its bodies at `/v1/requests/{id}`.",
    "`false`"
  )
}).pipe(
  Schema.filter(({ accounts, domain, email, group, role }) => {
    if ([domain, email, group].filter((one) => one !== undefined).length !== 1) {
      return "expected one of group, email, domain"
    }
    if (needsAccounts(role) && accounts === undefined) return `a ${role} needs accounts`
    return group !== undefined || (accounts ?? []).every((text) => !text.includes("{group}")) || "{group} needs group"
  })
)
export type RoleRule = typeof RoleRule.Type

const Hours = Schema.Number.pipe(Schema.between(0, 720))

/** True if no two entries are the same in these fields. */
const differIn = <A>(entries: ReadonlyArray<A>, key: (entry: A) => string): boolean =>
  new Set(entries.map(key)).size === entries.length

/** `sign_in`: the company's accounts. People sign in with them, and programs call with their tokens. */
export const SignIn = Schema.Struct({
  oidc: optionalField(
    Schema.NonEmptyArray(OidcProvider).pipe(
      Schema.filter((providers) => differIn(providers, ({ issuer }) => issuer) || "two entries have one issuer")
    ),
    "The OpenID Connect providers that people sign in to the console with: [fields](#a-provider).",
    "people sign in by key alone"
  ),
  roles: optionalField(
    Schema.Array(RoleRule),
    "Who has which role: [fields](#roles-of-people). Of several that match, the widest role counts, with the accounts of all rules that give it; others are refused.",
    "is needed with `oidc`"
  ),
  jwt: optionalField(
    Schema.NonEmptyArray(JwtIssuer).pipe(
      Schema.filter(
        (issuers) =>
          differIn(issuers, ({ audience, issuer }) => `${issuer} ${audience}`) ||
          "two entries have one issuer and one audience"
      )
    ),
    "Issuers whose JWTs are [API keys](people.md#tokens-as-api-keys): [fields](#an-issuer-of-tokens).",
    "none"
  ),
  managed_settings: optionalField(
    Schema.Record({ key: Text, value: Schema.Unknown }),
    "Settings that Claude Code takes over when a person [signs it in](agents.md#its-own-login-at-the-gateway), a `managed-settings.json`. Variables of models that are absent (`env.ANTHROPIC_DEFAULT_OPUS_MODEL`, `…_SONNET_…`, `…_HAIKU_…`) name models that the person may use, where the client's own are not among them.",
    "none"
  ),
  outage_hours: optionalField(
    Hours,
    "How long people work on while a provider does not answer, and tokens while their issuer does not; then they get a 503, and accounts' keys work on.",
    "`1`"
  ),
  recheck_hours: optionalField(
    Hours.pipe(Schema.positive()),
    "How long people of a provider that gives no refresh token work after they signed in.",
    "`12`"
  )
}).pipe(
  Schema.filter(({ jwt, oidc, roles }) => {
    if (oidc === undefined && jwt === undefined) return "expected oidc, for people, or jwt, for programs"
    if ((oidc === undefined) === (roles === undefined)) return true
    return roles === undefined ? "oidc needs roles, which say who may sign in" : "roles are for people, and need oidc"
  })
)
export type SignIn = typeof SignIn.Type
