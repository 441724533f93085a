import { Console, Data, Effect, Option } from "effect"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import type { JwtIssuer } from "../../config/sections/JwtIssuer.ts"
import type { OidcProvider, SignIn } from "../../config/sections/SignIn.ts"
import { Settings } from "../../config/Settings.ts"
import { frontPage } from "../../people/entryPages.ts"
import { publishedBy } from "../../people/IssuerKeys.ts"
import { discover } from "../../people/Providers.ts"
import type { ProviderFailed } from "../../people/Providers.ts"
import { fetchBy } from "../../upstreams/auth/fetchBy.ts"
import { linkedAddress } from "../ownAddress.ts"

/** A provider can't be asked; details are printed already. */
export class NoProvider extends Data.TaggedError("NoProvider")<{ readonly message: string }> {}

/** An issuer's answer: what there is to say of it, or why it can't be asked. */
interface IssuerReply {
  readonly issuer: string
  readonly lines: ReadonlyArray<string>
  readonly problem: string | undefined
}

/** Every provider that people sign in with, and every issuer of tokens, which is asked for its keys. */
export const issuersOf = ({ sign_in }: Pick<GatewayFile, "sign_in">) => [
  ...(sign_in?.oidc ?? []).map((provider, index) => ({
    issuer: provider.issuer,
    setting: `sign_in.oidc[${index}].issuer`,
    ask: replyOf(provider, askProvider(provider, sign_in?.roles ?? []))
  })),
  ...(sign_in?.jwt ?? []).map((entry, index) => ({
    issuer: entry.issuer,
    setting: `sign_in.jwt[${index}].issuer`,
    ask: replyOf(entry, askIssuer(entry))
  }))
]

/** Asks them all, and prints what has to be registered there. */
export const checkSignIn = Effect.gen(function* () {
  const replies = yield* Effect.forEach(issuersOf((yield* Settings).file.value), ({ ask }) => ask)
  for (const { issuer, lines, problem } of replies) {
    if (problem !== undefined) yield* Console.log(`\nsign_in: ${issuer} can't be asked: ${problem}`)
    for (const line of lines) yield* Console.log(line)
  }
  const { length } = replies.filter(({ problem }) => problem !== undefined)
  if (length > 0) return yield* new NoProvider({ message: length === 1 ? "1 problem" : `${length} problems` })
})

const replyOf = <R>(
  { issuer }: { readonly issuer: string },
  ask: Effect.Effect<ReadonlyArray<string>, ProviderFailed, R>
): Effect.Effect<IssuerReply, never, R> =>
  Effect.match(ask, {
    onSuccess: (lines) => ({ issuer, lines, problem: undefined }),
    onFailure: ({ message }) => ({ issuer, lines: [], problem: message })
  })

const askProvider = (provider: OidcProvider, roles: NonNullable<SignIn["roles"]>) =>
  Effect.gen(function* () {
    const { proxyOf, server } = yield* Settings
    const url = linkedAddress(server)
    const admin = Option.map(server.admin, linkedAddress)
    const isByGroup = roles.some(({ group }) => group !== undefined)
    const client = yield* discover(provider, proxyOf)
    return linesOf(provider, client.serverMetadata(), { url, admin }, isByGroup)
  })

const askIssuer = (entry: JwtIssuer) =>
  Effect.gen(function* () {
    const { proxyOf } = yield* Settings
    const { algorithms, keys, url } = yield* publishedBy(entry, (at, init) => fetchBy(proxyOf(at))(at, init))
    const count = keys.length === 1 ? "1 key" : `${keys.length} keys`
    return [
      `\nsign_in.jwt: ${entry.issuer} publishes ${count} at ${url}`,
      `  its tokens may be signed by ${algorithms.join(", ")}`
    ]
  })

interface Metadata {
  readonly claims_supported?: unknown
  readonly scopes_supported?: unknown
  readonly end_session_endpoint?: unknown
  readonly backchannel_logout_supported?: unknown
}

const linesOf = (
  { groups_claim = "groups", issuer, scopes }: OidcProvider,
  metadata: Metadata,
  { admin, url }: { readonly url: string; readonly admin: Option.Option<string> },
  isByGroup: boolean
): ReadonlyArray<string> => [
  `\nsign_in: ${issuer} answers. To be registered there:`,
  `  the redirect address  ${url}/sign-in/callback`,
  ...Option.toArray(Option.map(admin, (admin) => `  and the operators'    ${admin}/sign-in/callback`)),
  ...(metadata.end_session_endpoint === undefined
    ? []
    : Option.match(admin, {
        onNone: () => [`  after signing out     ${url}${frontPage("whole")}`],
        onSome: (admin) => [
          `  after signing out     ${url}${frontPage("public")}`,
          `  and at the operators' ${admin}${frontPage("admin")}`
        ]
      })),
  ...(metadata.backchannel_logout_supported === true ? [`  back-channel logout   ${url}/sign-in/logout`] : []),
  ...(isByGroup ? groupsWarning(groups_claim, scopes, metadata) : []),
  ...(scopes === undefined && lacks(metadata.scopes_supported, "offline_access")
    ? [
        "warning: it does not name the scope offline_access: a removed person works on for sign_in.recheck_hours, unless scopes or parameters bring a refresh token"
      ]
    : [])
]

/** Some providers, as Dex, name no such claim, and have it for a scope of its name. */
const groupsWarning = (
  claim: string,
  scopes: ReadonlyArray<string> | undefined,
  { claims_supported, scopes_supported }: Metadata
): ReadonlyArray<string> => {
  const isScope = Array.isArray(scopes_supported) && scopes_supported.includes(claim)
  if (isScope && scopes?.includes(claim) !== true) {
    return [`warning: it has a scope ${claim}, which \`scopes\` does not ask for: it may leave out a person's groups`]
  }
  return isScope || !lacks(claims_supported, claim)
    ? []
    : [`warning: it does not name the claim ${claim}, by which sign_in.roles knows groups`]
}

/** True for a list without the value; providers may leave out the list. */
const lacks = (list: unknown, value: string): boolean => Array.isArray(list) && !list.includes(value)
