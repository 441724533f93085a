import { Schema } from "effect"
import { Role } from "../../contract/Acting.ts"
import { isLoopback } from "../loopback.ts"
import { AccountPatterns } from "./AdminKey.ts"
import { given, needed } from "./given.ts"
import { HttpUrl, Secret, Text } from "./values.ts"

const Issuer = HttpUrl.pipe(
  Schema.filter((text) => (!/[?#]/.test(text) && /^https:/i.test(text)) || isLoopback(text), {
    message: () => "expected the issuer's https:// address, without a query and a fragment"
  })
)

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
  issuer: needed(Issuer, "The provider's address, exactly as its tokens name it; the rest is found from it."),
  client_id: needed(Text, "The gateway's id at the provider."),
  client_secret: needed(Secret, "Its secret there."),
  scopes: given(
    Schema.Array(Text),
    "What is asked for. `offline_access` brings the refresh token by which a removed person is noticed.",
    "`[openid, email, profile, offline_access]`"
  ),
  groups_claim: given(Text, "The claim that lists a person's groups, in the ID token or in userinfo.", "`groups`"),
  parameters: given(
    Schema.Record({ key: Text, value: Schema.String }).pipe(
      Schema.filter((given) => {
        const taken = Object.keys(given).find((name) => own.has(name))
        return taken === undefined || `${taken}: the gateway sets this parameter itself`
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
  group: given(Group, "For people of this group; `team-*` is every group whose name begins so."),
  email: given(Text.pipe(Schema.pattern(/^[^@\s]+@[^@\s]+$/)), "For this verified e-mail address."),
  domain: given(Text.pipe(Schema.pattern(/^[^@\s]+$/)), "For verified e-mail addresses of this domain."),
  role: needed(
    Role.pipe(
      Schema.filter((role) => role !== "metrics", { message: () => "metrics is for admin keys: expected another role" })
    ),
    "The [role](people.md#roles): `operator`, `auditor`, `manager` or `member`."
  ),
  accounts: given(
    AccountPatterns,
    "The accounts that it reaches: ids, `team-*`, or `{group}` for the matched group's name. A manager and a member need them.",
    "all"
  ),
  bodies: given(Schema.Boolean, "Whether an auditor or a manager is shown recorded bodies.", "`false`")
}).pipe(
  Schema.filter(({ accounts, domain, email, group, role }) => {
    if ([domain, email, group].filter((one) => one !== undefined).length !== 1) {
      return "expected one of group, email, domain"
    }
    if (role !== "operator" && role !== "auditor" && accounts === undefined) return `a ${role} needs accounts`
    return group !== undefined || (accounts ?? []).every((text) => !text.includes("{group}")) || "{group} needs group"
  })
)
export type RoleRule = typeof RoleRule.Type

const Hours = Schema.Number.pipe(Schema.between(0, 720))

/** `sign_in`: people sign in with their company's account. */
export const SignIn = Schema.Struct({
  oidc: needed(
    Schema.NonEmptyArray(OidcProvider).pipe(
      Schema.filter(
        (providers) =>
          new Set(providers.map(({ issuer }) => issuer)).size === providers.length || "two entries have one issuer"
      )
    ),
    "The OpenID Connect providers: [fields](#a-provider)."
  ),
  roles: needed(
    Schema.Array(RoleRule),
    "Who has which role: [fields](#roles-of-people). Of several that match, the widest role counts, with the accounts of all rules that give it; others are refused."
  ),
  managed_settings: given(
    Schema.Record({ key: Text, value: Schema.Unknown }),
    "Settings that Claude Code takes over when a person [signs it in](agents-login.md), a `managed-settings.json`.",
    "none"
  ),
  outage_hours: given(
    Hours,
    "How long people work on while a provider does not answer; then they get a 503, and accounts' keys work on.",
    "`1`"
  ),
  recheck_hours: given(
    Hours.pipe(Schema.positive()),
    "How long people of a provider that gives no refresh token work after they signed in.",
    "`12`"
  )
})
export type SignIn = typeof SignIn.Type
