import { Effect } from "effect"
import { answerJson, makeOAuthPage, noStore } from "./oauthPage.ts"
import type { PageServer } from "./oauthPage.ts"
import { readShort } from "./readForm.ts"
import { signInFailed } from "./signInFailed.ts"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { publicPath } from "../config/publicPath.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { listAt, parseJson, textAt } from "../contract/json/json.ts"
import { isEmbedded } from "../guard/foreign.ts"
import { frontPage } from "../people/entryPages.ts"
import { CodeSignIns } from "../people/programs/codes/CodeSignIns.ts"
import { toolsResource } from "../people/programs/codes/toolsResource.ts"
import { toolsScope } from "../people/toolsScope.ts"
import { OAuthRefused } from "../people/programs/OAuthRefused.ts"
import { SessionAuthenticators } from "../people/signIn/SessionAuthenticators.ts"

/**
 * The pages by which programs sign in by a code for the tools of `/mcp`: what protects these (RFC 9728), registration (RFC
 * 7591) and the address that a program opens in its person's browser (RFC 6749).
 */
export const makeCodePages = Effect.fnUntraced(function* (entry: EntryPoint) {
  const signIns = yield* CodeSignIns
  const publicUrl = yield* PublicUrl
  const { tries } = yield* SessionAuthenticators
  const page = yield* makeOAuthPage

  const protectedResource = page(() =>
    Effect.map(publicUrl.get, (url) =>
      answerJson({
        resource: toolsResource(url),
        authorization_servers: [url],
        scopes_supported: [toolsScope],
        bearer_methods_supported: ["header"],
        resource_name: "Model Gateway"
      })
    )
  )

  const register = (request: Request, server: PageServer) =>
    Effect.gen(function* () {
      yield* tries.programs.each(tries.from({ request, server }))
      const sent = parseJson(yield* readShort(request))
      const redirects = listAt(sent, "redirect_uris").filter((redirect) => typeof redirect === "string")
      const { id, name, redirects: kept } = yield* signIns.register(textAt(sent, "client_name") ?? "", redirects)
      return answerJson(
        {
          client_id: id,
          client_name: name,
          redirect_uris: kept,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          scope: toolsScope,
          token_endpoint_auth_method: "none"
        },
        201
      )
    })

  /** Leads to the console's page, which shows who asks and waits for a click. */
  const authorize = (request: Request) =>
    Effect.gen(function* () {
      const path = publicPath(yield* entry.url)
      const led = isEmbedded(request.headers)
        ? yield* Effect.either(embedded)
        : yield* Effect.either(signIns.authorize(new URL(request.url).searchParams))
      if (led._tag === "Left") return signInFailed(led.left, path + frontPage(entry.name))
      const location =
        "back" in led.right ? led.right.back : `${path}/console/consent?${new URLSearchParams(led.right)}`
      const headers = { ...noStore, location, "referrer-policy": "no-referrer" }
      return new Response(null, { status: 303, headers })
    })

  const resource = "/.well-known/oauth-protected-resource/mcp"
  return {
    [resource]: protectedResource,
    [`${resource}/:server`]: protectedResource,
    "POST /oauth/register": page(register),
    "/oauth/authorize": page(authorize)
  } as const
})

const embedded = Effect.fail(
  new OAuthRefused({ code: "invalid_request", message: "A sign-in is a page of its own, not a part of another site's" })
)
