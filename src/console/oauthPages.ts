import { Effect, Redacted } from "effect"
import { maxClientLength } from "../people/signIn/Sessions.ts"
import { readForm } from "./readForm.ts"
import { runPage } from "./runPage.ts"
import { SessionAuthenticators } from "../people/signIn/SessionAuthenticators.ts"
import { publicPath } from "../config/publicPath.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { isForeign } from "../guard/foreign.ts"
import { Providers } from "../people/Providers.ts"
import type { SignInRefused } from "../people/SignIns.ts"
import { AgentSignIns } from "../people/programs/AgentSignIns.ts"
import type { Issued } from "../people/programs/AgentSignIns.ts"
import { OAuthRefused } from "../people/programs/OAuthRefused.ts"
import { opencodeSignIn } from "./agents/opencode.ts"
import { userCodeOf } from "../people/programs/userCode.ts"

type Server = Pick<Bun.Server<undefined>, "requestIP">

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** Characters of a program's name for itself. */
const longestSurface = 40

/**
 * The pages by which programs sign in for people: metadata (RFC 8414), the device flow (RFC 8628), refreshing (RFC 6749)
 * and signing out (RFC 7009). They need no `client_id` and ignore what they don't know, as Claude Code wants it. Without
 * providers that people sign in with there are none.
 */
export const makeOAuthPages = Effect.gen(function* () {
  const signIns = yield* AgentSignIns
  const providers = yield* Providers
  const publicUrl = yield* PublicUrl
  const { tries } = yield* SessionAuthenticators
  const runtime = yield* Effect.runtime()

  const metadata = () =>
    Effect.map(publicUrl.get, (url) =>
      answer({
        issuer: url,
        device_authorization_endpoint: `${url}/oauth/device_authorization`,
        token_endpoint: `${url}/oauth/token`,
        revocation_endpoint: `${url}/oauth/revoke`,
        grant_types_supported: [deviceGrant, "refresh_token"],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["none"]
      })
    )

  const opencode = () => Effect.map(publicUrl.get, (url) => answer(opencodeSignIn(url)))

  const authorize = (request: Request, server: Server) =>
    Effect.gen(function* () {
      if (isForeign(request.headers, yield* publicUrl.get)) return yield* foreign
      const address = tries.from({ request, server })
      yield* tries.programs.each(address)
      const form = yield* readForm(request)
      const begun = yield* signIns.begin({
        surface: plain(form.get("surface") ?? "", longestSurface),
        issues: form.get("issues") === "key" ? "key" : "token",
        client: plain(request.headers.get("user-agent") ?? "", maxClientLength),
        address
      })
      const page = `${yield* publicUrl.get}/device`
      return answer({
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
      switch (form.get("grant_type")) {
        case deviceGrant:
          return answer(tokenAnswer(yield* signIns.poll(Redacted.make(yield* need(form, "device_code")))))
        case "refresh_token":
          return answer(tokenAnswer(yield* signIns.refresh(Redacted.make(yield* need(form, "refresh_token")))))
        default:
          return yield* new OAuthRefused({
            code: "unsupported_grant_type",
            message: `grant_type: expected ${deviceGrant} or refresh_token`
          })
      }
    })

  const revoke = (request: Request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request)
      yield* signIns.revoke(Redacted.make(yield* need(form, "token")))
      return new Response(null, { status: 200, headers: noStore })
    })

  /** Leads to the console's page, which shows who asks and waits for a click. */
  const device = (request: Request) =>
    Effect.map(publicUrl.get, (url) => {
      const typed = URL.parse(request.url)?.searchParams.get("user_code")
      const code = userCodeOf(typed ?? "")
      const query = code === undefined ? "" : `?${new URLSearchParams({ user_code: code })}`
      return new Response(null, {
        status: 303,
        headers: { ...noStore, location: `${publicPath(url)}/console/device${query}`, "referrer-policy": "no-referrer" }
      })
    })

  /** A page that is there while people sign in by a provider. */
  const page =
    (
      answer: (request: Request, server: Server) => Effect.Effect<Response, OAuthRefused | SignInRefused | RateLimited>
    ) =>
    (request: Request, server: Server): Promise<Response> | undefined =>
      (providers.rules()?.providers.size ?? 0) === 0
        ? undefined
        : runPage(runtime, Effect.catchAll(answer(request, server), refused), broken)

  return {
    "/.well-known/oauth-authorization-server": page(metadata),
    "/.well-known/opencode": page(opencode),
    "POST /oauth/device_authorization": page(authorize),
    "POST /oauth/token": page(token),
    "POST /oauth/revoke": page(revoke),
    "/device": page(device)
  } as const
})

const noStore = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const answer = (body: object): Response => Response.json(body, { headers: noStore })

const tokenAnswer = ({ access, email, expiresInSeconds, refresh }: Issued) => ({
  access_token: Redacted.value(access),
  token_type: "Bearer",
  expires_in: expiresInSeconds,
  ...(refresh === undefined ? {} : { refresh_token: Redacted.value(refresh) }),
  ...(email === undefined ? {} : { email })
})

/** Claude Code keeps its refresh token on this status. */
const broken = (): Response =>
  Response.json(
    { error: "temporarily_unavailable", error_description: "The gateway can't answer now; try again later" },
    { status: 503, headers: noStore }
  )

const refused = (failure: OAuthRefused | SignInRefused | RateLimited): Effect.Effect<Response> => {
  const { code, status } =
    failure._tag === "OAuthRefused"
      ? failure
      : failure._tag === "RateLimited"
        ? ({ code: "slow_down", status: 429 } as const)
        : ({ code: "invalid_request", status: 400 } as const)
  const headers =
    failure._tag === "RateLimited" ? { "retry-after": String(Math.ceil(failure.retryAfterSeconds ?? 60)) } : {}
  return Effect.succeed(
    Response.json({ error: code, error_description: failure.message }, { status, headers: { ...noStore, ...headers } })
  )
}

const foreign = Effect.fail(
  new OAuthRefused({ code: "invalid_request", message: "Programs ask for a code, not pages of other sites" })
)

const need = (form: URLSearchParams, name: string): Effect.Effect<string, OAuthRefused> => {
  const [value = "", ...others] = form.getAll(name)
  const wrong = others.length > 0 ? "sent more than once" : value === "" ? "missing" : undefined
  return wrong === undefined
    ? Effect.succeed(value)
    : Effect.fail(new OAuthRefused({ code: "invalid_request", message: `${name}: ${wrong}` }))
}

/** Text of a stranger, without characters that change how other text is shown. */
const plain = (text: string, longest: number): string => text.replace(/[^\x20-\x7e]/g, "").slice(0, longest)
