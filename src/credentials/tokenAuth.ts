import { Effect } from "effect"
import type { Auth } from "./Auth.ts"
import { credentialsFrom } from "./credentialsFrom.ts"
import { promiseRunner } from "./promiseRunner.ts"
import { makeRenewed } from "./Renewed.ts"
import type { Credentials } from "./Renewed.ts"
import { sendable } from "./sendable.ts"
import type { Source } from "./Source.ts"

/** Authenticates calls by a bearer token that ends. */
export const makeTokenAuth = Effect.fnUntraced(function* (
  cloud: "Google" | "Azure",
  source: Source,
  ask: (source: Source) => Promise<Credentials<string>>,
  identityOf: (token: string) => Promise<string>
) {
  const run = promiseRunner(yield* Effect.runtime())
  const tokens = yield* makeRenewed(
    credentialsFrom(cloud, source, async (noting) => {
      const credentials = await ask(noting)
      sendable(credentials.value, "the token of their service")
      return credentials
    })
  )
  const header = (token: string) => `Bearer ${token}`
  const auth: Auth = {
    headers: async () => ({ authorization: header(await run(tokens.get)) }),
    refused: async ({ authorization = "" }) => run(tokens.refused(authorization.slice(header("").length))),
    secrets: tokens.recent,
    identity: async () => identityOf(await run(tokens.get))
  }
  return auth
})
