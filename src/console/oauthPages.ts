import { Effect, Redacted } from "effect"
import { maxClientLength } from "../people/signIn/Sessions.ts"
import { readForm } from "./readForm.ts"
import { answerJson, makeOAuthPage, need, noStore } from "./oauthPage.ts"
import type { PageServer } from "./oauthPage.ts"
import { SessionAuthenticators } from "../people/signIn/SessionAuthenticators.ts"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { publicPath } from "../config/publicPath.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { isForeign } from "../guard/foreign.ts"
import { AgentSignIns } from "../people/programs/AgentSignIns.ts"
import { CodeSignIns } from "../people/programs/codes/CodeSignIns.ts"
import { otherResource } from "../people/programs/codes/readCodeRequest.ts"
import { isOwnResource, toolsResource } from "../people/programs/codes/toolsResource.ts"
import { toolsScope } from "../people/toolsScope.ts"
import { plainText } from "../people/programs/plainText.ts"
import { ProgramTokens } from "../people/programs/ProgramTokens.ts"
import type { Issued } from "../people/programs/ProgramTokens.ts"
import { OAuthRefused } from "../people/programs/OAuthRefused.ts"
import { opencodeSignIn } from "./agents/opencode.ts"
import { userCodeOf } from "../people/programs/userCode.ts"

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** Characters of a program's name for itself. */
const longestSurface = 40

/**
 * The pages by which programs sign in for people: metadata (RFC 8414), the device flow (RFC 8628), refreshing (RFC 6749)
 * and signing out (RFC 7009); `codePages` has those of codes. They need no `client_id` and ignore what they don't know, as Claude Code wants it. Without
 * providers that people sign in with there are none.
 */
export const makeOAuthPages = Effect.fnUntraced(function* (entry: EntryPoint) {
  const signIns = yield* AgentSignIns
  const codes = yield* CodeSignIns
  const programs = yield* ProgramTokens
  const publicUrl = yield* PublicUrl
  const { tries } = yield* SessionAuthenticators
  const page = yield* makeOAuthPage

  const metadata = () =>
    Effect.map(publicUrl.get, (url) =>
      answerJson({
        issuer: url,
        device_authorization_endpoint: `${url}/oauth/device_authorization`,
        token_endpoint: `${url}/oauth/token`,
        revocation_endpoint: `${url}/oauth/revoke`,
        authorization_endpoint: `${url}/oauth/authorize`,
        registration_endpoint: `${url}/oauth/register`,
        grant_types_supported: ["authorization_code", deviceGrant, "refresh_token"],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        scopes_supported: [toolsScope],
        token_endpoint_auth_methods_supported: ["none"]
      })
    )

  const opencode = () => Effect.map(publicUrl.get, (url) => answerJson(opencodeSignIn(url)))

  const authorize = (request: Request, server: PageServer) =>
    Effect.gen(function* () {
      if (isForeign(request.headers, yield* entry.url)) return yield* foreign
      const address = tries.from({ request, server })
      yield* tries.programs.each(address)
      const form = yield* readForm(request)
      const begun = yield* signIns.begin({
        surface: plainText(form.get("surface") ?? "", longestSurface),
        issues: form.get("issues") === "key" ? "key" : "token",
        client: plainText(request.headers.get("user-agent") ?? "", maxClientLength),
        address
      })
      const page = `${yield* publicUrl.get}/device`
      return answerJson({
        device_code: Redacted.value(begun.deviceCode),
        user_code: begun.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?${new URLSearchParams({ user_code: begun.userCode })}`,
        expires_in: begun.expiresInSeconds,
        interval: begun.intervalSeconds
      })
    })

  const token = (request: Request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request)
      const url = yield* publicUrl.get
      if (!form.getAll("resource").every((resource) => isOwnResource(resource, url))) return yield* otherResource
      switch (form.get("grant_type")) {
        case "authorization_code": {
          const sent = {
            code: yield* need(form, "code"),
            client: yield* need(form, "client_id"),
            redirect: yield* need(form, "redirect_uri"),
            verifier: yield* need(form, "code_verifier")
          }
          return answerJson(tokenAnswer(yield* codes.exchange(sent, toolsResource(url))))
        }
        case deviceGrant:
          return answerJson(tokenAnswer(yield* signIns.poll(Redacted.make(yield* need(form, "device_code")))))
        case "refresh_token": {
          const token = Redacted.make(yield* need(form, "refresh_token"))
          return answerJson(tokenAnswer(yield* programs.refresh(token, form.get("client_id") ?? undefined)))
        }
        default:
          return yield* new OAuthRefused({
            code: "unsupported_grant_type",
            message: `grant_type: expected authorization_code, ${deviceGrant} or refresh_token`
          })
      }
    })

  const revoke = (request: Request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request)
      yield* programs.revoke(Redacted.make(yield* need(form, "token")))
      return new Response(null, { status: 200, headers: noStore })
    })

  /** Leads to the console's page, which shows who asks and waits for a click. */
  const device = (request: Request) =>
    Effect.map(entry.url, (url) => {
      const typed = URL.parse(request.url)?.searchParams.get("user_code")
      const code = userCodeOf(typed ?? "")
      const query = code === undefined ? "" : `?${new URLSearchParams({ user_code: code })}`
      return new Response(null, {
        status: 303,
        headers: { ...noStore, location: `${publicPath(url)}/console/device${query}`, "referrer-policy": "no-referrer" }
      })
    })

  return {
    "/.well-known/oauth-authorization-server": page(metadata),
    "/.well-known/opencode": page(opencode),
    "POST /oauth/device_authorization": page(authorize),
    "POST /oauth/token": page(token),
    "POST /oauth/revoke": page(revoke),
    "/device": page(device)
  } as const
})

const tokenAnswer = ({ access, email, expiresInSeconds, refresh, resource }: Issued) => ({
  access_token: Redacted.value(access),
  token_type: "Bearer",
  expires_in: expiresInSeconds,
  ...(refresh === undefined ? {} : { refresh_token: Redacted.value(refresh) }),
  ...(email === undefined ? {} : { email }),
  ...(resource === undefined ? {} : { scope: toolsScope })
})

const foreign = Effect.fail(
  new OAuthRefused({ code: "invalid_request", message: "Programs ask for a code, not pages of other sites" })
)
