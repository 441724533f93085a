import { Effect } from "effect"
import { runPage } from "./runPage.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { Providers } from "../people/Providers.ts"
import { OAuthRefused } from "../people/programs/OAuthRefused.ts"
import type { SignInRefused } from "../people/SignIns.ts"

/** The parts of Bun's server that a page needs. */
export type PageServer = Pick<Bun.Server<undefined>, "requestIP">

type Refusal = OAuthRefused | SignInRefused | RateLimited

/** Makes the pages that programs ask. They are there while people sign in by a provider. */
export const makeOAuthPage = Effect.gen(function* () {
  const providers = yield* Providers
  const runtime = yield* Effect.runtime()
  return (answer: (request: Request, server: PageServer) => Effect.Effect<Response, Refusal>) =>
    (request: Request, server: PageServer): Promise<Response> | undefined =>
      (providers.rules()?.providers.size ?? 0) === 0
        ? undefined
        : runPage(runtime, Effect.catchAll(answer(request, server), refused), broken)
})

export const noStore = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export const answerJson = (body: object, status = 200): Response => Response.json(body, { status, headers: noStore })

/** Claude Code keeps its refresh token on this status. */
const broken = (): Response =>
  answerJson(
    { error: "temporarily_unavailable", error_description: "The gateway can't answer now; try again later" },
    503
  )

const refused = (failure: Refusal): Effect.Effect<Response> => {
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

/** The value of a field that a form has once. */
export const need = (form: URLSearchParams, name: string): Effect.Effect<string, OAuthRefused> => {
  const [value = "", ...others] = form.getAll(name)
  const wrong = others.length > 0 ? "sent more than once" : value === "" ? "missing" : undefined
  return wrong === undefined
    ? Effect.succeed(value)
    : Effect.fail(new OAuthRefused({ code: "invalid_request", message: `${name}: ${wrong}` }))
}
