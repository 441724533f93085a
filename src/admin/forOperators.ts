import { Effect, Either } from "effect"
import type { Authenticate } from "../contract/callers/Authenticate.ts"
import { challengeOf } from "../contract/failures/challengeOf.ts"
import { codedError, codedStatus } from "../contract/failures/codedErrors.ts"

interface Authenticator {
  readonly authenticate: Authenticate<unknown>
}

/**
 * A page outside the contract, opened by the same authentication as the admin API.
 *
 * @param page its name among the operations that a role reaches
 * @param group the group of the contract that it stands beside
 */
export const forOperators =
  ({ authenticate }: Authenticator, page: string, answer: () => Promise<Response>, group = "pages") =>
  async (request: Request, server: Pick<Bun.Server<undefined>, "requestIP">): Promise<Response> => {
    const opened = await Effect.runPromise(
      Effect.either(authenticate(request.headers, { request, server }, { group, name: page }))
    )
    if (Either.isRight(opened)) return answer()
    const failure = opened.left
    const status = codedStatus(failure)
    const headers: Record<string, string> =
      status === 429
        ? { "retry-after": "60" }
        : status === 401
          ? { "www-authenticate": challengeOf(failure) ?? "Bearer" }
          : {}
    return Response.json({ error: codedError(failure) }, { status, headers })
  }
