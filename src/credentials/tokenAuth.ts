import { Effect } from "effect"
import type { Auth, NoCredentials } from "./Auth.ts"
import { promised } from "./promised.ts"
import { renewed } from "./Renewed.ts"
import type { Credentials } from "./Renewed.ts"

/** Authenticates calls by a bearer token that ends. */
export const makeTokenAuth = Effect.fnUntraced(function* (
  fetch: Effect.Effect<Credentials<string>, NoCredentials>,
  more: Readonly<Record<string, string>>,
  identityOf: (token: string) => Promise<string>
) {
  const run = promised(yield* Effect.runtime())
  const tokens = yield* renewed(fetch)
  const header = (token: string) => `Bearer ${token}`
  const auth: Auth = {
    headers: async () => ({ authorization: header(await run(tokens.get)), ...more }),
    refused: async ({ authorization = "" }) => run(tokens.refused(authorization.slice(header("").length))),
    secrets: tokens.recent,
    identity: async () => identityOf(await run(tokens.get))
  }
  return auth
})
