import { Effect } from "effect"
import { makeOAuthPage, answerJson, noStore } from "./oauthPage.ts"
import { signInFailed } from "./signInFailed.ts"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { ownDocument } from "../people/tools/clientAt.ts"
import { ToolConnections } from "../people/tools/ToolConnections.ts"
import { SessionAuthenticators } from "../people/signIn/SessionAuthenticators.ts"
import { connectCookieFor, connectCookieIn } from "../people/signIn/token.ts"

/** The pages of people's accounts at MCP servers: the gateway's document as a client, and the way back from a sign-in. */
export const makeConnectPages = Effect.fnUntraced(function* (entry: EntryPoint) {
  const connections = yield* ToolConnections
  const publicUrl = yield* PublicUrl
  const { cookiePlaceAt } = yield* SessionAuthenticators
  const page = yield* makeOAuthPage

  const document = page(() => Effect.map(publicUrl.get, (url) => answerJson(ownDocument(url))))

  const callback = (request: Request) =>
    Effect.gen(function* () {
      const place = yield* cookiePlaceAt(entry)
      const { path } = place
      const cookie = connectCookieIn(request.headers.get("cookie") ?? "", place)
      const connected = yield* Effect.either(connections.complete(cookie, new URL(request.url).searchParams))
      if (connected._tag === "Left") return signInFailed(connected.left, `${path}/console/tools`)
      const headers = new Headers({
        ...noStore,
        location: `${path}/console/tools?${new URLSearchParams({ connected: connected.right })}`,
        "referrer-policy": "no-referrer",
        "set-cookie": connectCookieFor(undefined, 0, place)
      })
      return new Response(null, { status: 303, headers })
    })

  return { "/oauth/mcp/client.json": document, "/oauth/mcp/callback": page(callback) } as const
})
