import { Effect } from "effect"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { publicPath } from "../config/publicPath.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { isEmbedded, isForeign } from "../guard/foreign.ts"
import { frontPage } from "../people/entryPages.ts"
import { Providers } from "../people/Providers.ts"
import type { ProviderFailed } from "../people/Providers.ts"
import { roleOf } from "../people/roleOf.ts"
import { signInMs, SignInRefused, SignIns } from "../people/SignIns.ts"
import type { Completed } from "../people/SignIns.ts"
import { consolePath } from "./consolePath.ts"
import { ProviderSessions } from "../people/signIn/ProviderSessions.ts"
import { readForm } from "./readForm.ts"
import { runPage } from "./runPage.ts"
import { SessionAuthenticators } from "../people/signIn/SessionAuthenticators.ts"
import { maxClientLength, sessionMs, Sessions } from "../people/signIn/Sessions.ts"
import { signInFailed } from "./signInFailed.ts"
import { connectCookieFor, cookieFor, signInCookieFor, signInCookieIn, tokenIn } from "../people/signIn/token.ts"

type Server = Pick<Bun.Server<undefined>, "requestIP">

/**
 * The pages of signing in by a provider at an address: `/sign-in` leads there, `/sign-in/callback` takes the browser back, and
 * `POST /sign-in/logout` takes the provider's own word that a session is over. Without `sign_in` there are none.
 */
export const makeSignInPages = Effect.fnUntraced(function* (entry: EntryPoint) {
  const signIns = yield* SignIns
  const providers = yield* Providers
  const sessions = yield* Sessions
  const provided = yield* ProviderSessions
  const { cookiePlaceAt, tries } = yield* SessionAuthenticators
  const cookiePlace = cookiePlaceAt(entry)
  const runtime = yield* Effect.runtime()

  const begin = (request: Request, server: Server) =>
    Effect.gen(function* () {
      if (isEmbedded(request.headers)) return yield* embedded
      yield* tries.begun.each(tries.countedAs({ request, server }))
      const place = yield* cookiePlace
      const query = queryOf(request)
      const [only, ...others] = providers.rules()?.providers.keys() ?? []
      const issuer = query.get("issuer") ?? (others.length === 0 ? only : undefined) ?? ""
      const token = tokenIn(request.headers.get("cookie") ?? "", place)
      // The callback comes from another site, without the cookie of a session.
      const earlier = token === undefined ? undefined : (yield* sessions.find(token, entry.name))?.id
      const returnTo = consolePath(query.get("return_to"), place.path, entry.name)
      const { cookie, location } = yield* signIns.begin(entry, { issuer, returnTo, earlier })
      return moveTo(location, [signInCookieFor(cookie, signInMs / 1_000, place)])
    })

  const admit = ({ identity }: Completed) =>
    Effect.gen(function* () {
      const role = roleOf(providers.rules()?.roles ?? [], identity)
      if (role !== undefined) return role
      const { email, groups, isCut, issuer, subject } = identity
      yield* Effect.annotateLogs(Effect.logWarning("a person signed in who has no role"), {
        event: "sign_in.refused",
        issuer,
        subject,
        email,
        groups: groups.slice(0, 50).join(", ")
      })
      return yield* new SignInRefused({ message: isCut ? cut : noRole(new URL(issuer).host) })
    })

  const callback = (request: Request, server: Server) =>
    Effect.gen(function* () {
      const place = yield* cookiePlace
      const address = tries.from({ request, server })
      const cookie = signInCookieIn(request.headers.get("cookie") ?? "", place)
      // Nothing can be guessed here: a sign-in that this browser has not begun is refused without asking the provider.
      const completed = yield* signIns.complete(entry, cookie, queryOf(request))
      const role = yield* admit(completed)
      const client = (request.headers.get("user-agent") ?? "").slice(0, maxClientLength)
      const visitor = { address, client, entry: entry.name }
      const { token } = yield* sessions.signInPerson(completed, role, visitor)
      return moveTo(`${place.path}${completed.returnTo}`, [
        cookieFor(token, sessionMs / 1_000, place),
        signInCookieFor(undefined, 0, place),
        // The person before may have begun to connect an account at a server.
        connectCookieFor(undefined, 0, place)
      ])
    })

  const logout = (request: Request, server: Server) =>
    Effect.gen(function* () {
      // Providers send it, browsers never.
      if (isForeign(request.headers, yield* entry.url)) return yield* foreign
      const form = yield* readForm(request)
      yield* tries.logouts.checked(
        tries.from({ request, server }),
        provided.logout(form.get("logout_token") ?? ""),
        ({ _tag }) => _tag === "SignInRefused"
      )
      return new Response(null, { status: 200, headers: { "cache-control": "no-store" } })
    }).pipe(
      Effect.catchAll((failure) =>
        Effect.succeed(
          Response.json(
            { error: "invalid_request", error_description: failure.message },
            { status: failure._tag === "RateLimited" ? 429 : 400, headers: { "cache-control": "no-store" } }
          )
        )
      )
    )

  const failed = (failure: SignInRefused | ProviderFailed | RateLimited) =>
    Effect.gen(function* () {
      if (failure._tag === "ProviderFailed") {
        yield* Effect.annotateLogs(Effect.logWarning(`a sign-in did not succeed: ${failure.message}`), {
          event: "sign_in.provider_failed"
        })
      }
      return signInFailed(failure, publicPath(yield* entry.url) + frontPage(entry.name))
    })

  /** A page that is there while people sign in by a provider. */
  const page =
    (
      answer: (
        request: Request,
        server: Server
      ) => Effect.Effect<Response, SignInRefused | ProviderFailed | RateLimited>
    ) =>
    (request: Request, server: Server): Promise<Response> | undefined =>
      providers.rules() === undefined
        ? undefined
        : runPage(runtime, Effect.catchAll(answer(request, server), failed), broken)

  return { "/sign-in": page(begin), "/sign-in/callback": page(callback), "POST /sign-in/logout": page(logout) } as const
})

const broken = (): Response =>
  new Response("The sign-in did not succeed. Try again later.", {
    status: 500,
    headers: { "cache-control": "no-store", "content-type": "text/plain; charset=utf-8" }
  })

const queryOf = ({ url }: Request): URLSearchParams => {
  const at = url.indexOf("?")
  return new URLSearchParams(at === -1 ? "" : url.slice(at))
}

const moveTo = (location: string, cookies: ReadonlyArray<string>): Response => {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(null, { status: 303, headers })
}

const embedded = Effect.fail(
  new SignInRefused({ message: "A sign-in is begun by a page of its own, not inside of another site's page." })
)
const foreign = Effect.fail(new SignInRefused({ message: "Logout tokens come from a provider, not from a page." }))

const noRole = (host: string) =>
  `You are signed in at ${host}, but this gateway knows none of your groups. Ask its operator for access.`
const cut =
  "Your company's sign-in left out your groups, because there are too many of them. Ask the operator to have only the groups of this gateway sent, or to give access by e-mail."
