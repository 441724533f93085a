import { Console, Data, Effect, Option } from "effect"
import type { OidcProvider } from "../../config/sections/SignIn.ts"
import { Settings } from "../../config/Settings.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import { discover } from "../../people/Providers.ts"

/** A provider can't be asked; details are printed already. */
class NoProvider extends Data.TaggedError("NoProvider")<{ readonly message: string }> {}

/** Asks every provider that people sign in with, and prints what has to be registered there. */
export const checkSignIn = Effect.gen(function* () {
  const { file, proxyOf, server } = yield* Settings
  const { sign_in } = file.value
  if (sign_in === undefined) return
  const url = withoutSlash(Option.getOrElse(server.publicUrl, () => `http://${server.host}:${server.port}`))
  const isByGroup = sign_in.roles.some(({ group }) => group !== undefined)
  const problems = yield* Effect.forEach(sign_in.oidc, (provider) =>
    discover(provider, proxyOf).pipe(
      Effect.flatMap((client) =>
        Effect.as(
          Effect.forEach(linesOf(provider, client.serverMetadata(), url, isByGroup), (line) => Console.log(line)),
          []
        )
      ),
      Effect.catchAll(({ message }) =>
        Effect.as(Console.log(`\nsign_in: ${provider.issuer} can't be asked: ${message}`), [message])
      )
    )
  )
  const { length } = problems.flat()
  if (length > 0) return yield* new NoProvider({ message: length === 1 ? "1 problem" : `${length} problems` })
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
  url: string,
  isByGroup: boolean
): ReadonlyArray<string> => [
  `\nsign_in: ${issuer} answers. To be registered there:`,
  `  the redirect address  ${url}/sign-in/callback`,
  ...(metadata.end_session_endpoint === undefined ? [] : [`  after signing out     ${url}/console`]),
  ...(metadata.backchannel_logout_supported === true ? [`  back-channel logout   ${url}/sign-in/logout`] : []),
  ...(isByGroup && lacks(metadata.claims_supported, groups_claim)
    ? [`warning: it does not name the claim ${groups_claim}, by which sign_in.roles knows groups`]
    : []),
  ...(scopes === undefined && lacks(metadata.scopes_supported, "offline_access")
    ? [
        "warning: it does not name the scope offline_access: a removed person works on for sign_in.recheck_hours, unless scopes or parameters bring a refresh token"
      ]
    : [])
]

/** True for a list without the value; providers may leave out the list. */
const lacks = (list: unknown, value: string): boolean => Array.isArray(list) && !list.includes(value)
