import { Effect, Either } from "effect"
import type {
  AuthInvalid,
  AuthMissing,
  Forbidden,
  RateLimited,
  Unavailable,
  UnknownRoute
} from "../contract/Failure.ts"

type Server = Pick<Bun.Server<undefined>, "requestIP">

interface Authenticator {
  readonly authenticate: (
    headers: Headers,
    incoming: { readonly request: Request; readonly server: Server },
    operation: { readonly group: string; readonly name: string }
  ) => Effect.Effect<unknown, AuthMissing | AuthInvalid | Forbidden | RateLimited | Unavailable | UnknownRoute>
}

/** A page outside the contract, opened by the same authentication as the admin API. @param page its name among the operations that a role reaches */
export const forOperators =
  ({ authenticate }: Authenticator, page: string, answer: () => Promise<Response>) =>
  async (request: Request, server: Server): Promise<Response> => {
    const opened = await Effect.runPromise(
      Effect.either(authenticate(request.headers, { request, server }, { group: "pages", name: page }))
    )
    if (Either.isRight(opened)) return answer()
    const { _tag: tag, message } = opened.left
    if (tag === "RateLimited") {
      const error = { code: "rate_limit_exceeded", message, param: null, type: "rate_limit_error" }
      return Response.json({ error }, { status: 429, headers: { "retry-after": "60" } })
    }
    if (tag === "Forbidden") {
      const error = { code: "permission_error", message, param: null, type: "permission_error" }
      return Response.json({ error }, { status: 403 })
    }
    const error = { code: "auth_invalid", message, param: null, type: "authentication_error" }
    return Response.json({ error }, { status: 401, headers: { "www-authenticate": "Bearer" } })
  }
