import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { AnyHandlers } from "../contract/handlers.ts"
import { Future } from "../flow/Future.ts"
import { toEffect } from "../flow/toEffect.ts"

/** A request that came by no connection. */
const request = {
  id: "",
  method: "",
  path: "",
  headers: new Headers(),
  body: undefined,
  replyHeaders: {},
  shutdown: new AbortController().signal
}

/**
 * Calls a handler in this process, without HTTP.
 * @param parts the decoded path, query and body
 * @returns undefined if these handlers do not have the operation
 */
export const callHandler = (
  handlers: Partial<AnyHandlers>,
  operation: string,
  parts: object,
  caller: Caller
): Effect.Effect<unknown, unknown> | undefined => {
  const handler = handlers[operation]
  if (handler === undefined) return undefined
  return Effect.suspend(() => {
    const answer = handler({ ...parts, caller, request })
    return answer instanceof Future ? toEffect(() => answer) : answer
  })
}
