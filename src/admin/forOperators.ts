import { Effect, Either } from "effect"
import type { makeAdminAccess } from "./AdminAccess.ts"

type AdminAccess = Effect.Effect.Success<ReturnType<typeof makeAdminAccess>>
type Server = Parameters<AdminAccess["authenticate"]>[1]["server"]

/** A page beside the contract that the admin key alone opens. */
export const forOperators =
  ({ authenticate }: Pick<AdminAccess, "authenticate">, answer: () => Promise<Response>) =>
  async (request: Request, server: Server): Promise<Response> => {
    const opened = await Effect.runPromise(Effect.either(authenticate(request.headers, { request, server })))
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
