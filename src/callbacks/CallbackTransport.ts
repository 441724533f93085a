import { Data, Duration, Effect } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"

/** A signed callback, ready to be posted. */
export interface CallbackRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** True for an address of the operator's, which may be private. */
  readonly isOperators?: boolean
}

export interface CallbackReply {
  readonly status: number
  /** By lower-case name; `retry-after` delays the next attempt. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The receiver did not answer. The reason is shown to the account that owns the task. */
export class CallbackFailed extends Data.TaggedError("CallbackFailed")<{ readonly reason: string }> {}

/** The answer's body is not used; the connection is closed after this much of it. */
const maxAnswerBytes = 64 * 1024

/** Longer than a name's resolution may take. */
const longestCheck = Duration.seconds(5)

/** Posts callbacks. The shipped one resolves the address anew, has `AddressGuard` check it and dials what was checked. */
export class CallbackTransport extends Effect.Service<CallbackTransport>()("gateway/callbacks/CallbackTransport", {
  effect: Effect.map(AddressGuard, (guard) => ({
    send: ({
      body,
      headers,
      isOperators = false,
      url
    }: CallbackRequest): Effect.Effect<CallbackReply, CallbackFailed> =>
      Effect.timed(isOperators ? guard.resolve(url) : guard.check(url)).pipe(
        // The process was suspended: other processes may have sent later changes of the task.
        Effect.filterOrFail(
          ([took]) => Duration.lessThan(took, longestCheck),
          () => new CallbackFailed({ reason: `no address within ${Duration.toSeconds(longestCheck)} s` })
        ),
        Effect.flatMap(([, checked]) =>
          guard.dial(checked, {
            method: "POST",
            headers,
            body: new TextEncoder().encode(body),
            connectTimeoutMs: 5_000,
            totalTimeoutMs: 15_000,
            maxBytes: maxAnswerBytes
          })
        ),
        Effect.mapError(({ reason }) => new CallbackFailed({ reason }))
      )
  }))
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<CallbackTransport, "_tag">>) => testDouble(CallbackTransport, given)
}
