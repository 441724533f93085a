import { Effect, Either } from "effect"
import type { AuthInvalid, AuthMissing, Forbidden, RateLimited, UnknownRoute } from "../contract/Failure.ts"

type Server = Pick<Bun.Server<undefined>, "requestIP">

interface Authenticator {
  readonly authenticate: (
    headers: Headers,
    incoming: { readonly request: Request; readonly server: Server },
    operation: { readonly group: string; readonly name: string }
  ) => Effect.Effect<unknown, AuthMissing | AuthInvalid | Forbidden | RateLimited | UnknownRoute>
}

/** A page outside the contract, opened by the same authentication as the admin API. @param page its name among the operations that a role reaches */
export const forOperators =
  ({ authenticate }: Authenticator, page: string, answer: () => Promise<Response>) =>
  async (request: Request, server: Server): Promise<Response> => {
    const opened = await Effect.runPromise(
      Effect.either(authenticate(request.headers, { request, server }, { group: "pages", name: page }))
    )
    if (Either.isRight(opened)) return answer()
    const isGuessing = opened.left._tag === "RateLimited"
    const error = {
      code: isGuessing ? "rate_limit_exceeded" : "auth_invalid",
      message: opened.left.message,
      param: null,
      type: isGuessing ? "rate_limit_error" : "authentication_error"
    }
    const headers = isGuessing ? { "retry-after": "60" } : { "www-authenticate": "Bearer" }
    return Response.json({ error }, { status: isGuessing ? 429 : 401, headers })
  }
