import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Fiber, Layer } from "effect"
import type { Scope } from "effect"
import type { Daemons } from "../flow/Daemons.ts"
import type { Commits } from "../sql/Commits.ts"
import type { EarlierCall } from "./storedCalls.ts"
import type { CallEnd, LeavingCall } from "./store/toolCalls.ts"

interface Rows {
  /** Stores a call before it leaves. */
  readonly begin: (call: LeavingCall) => Effect.Effect<void, SqlError>
  /**
   * The same for a call that uses up an approval. If an earlier one has, waits for its end.
   *
   * @param waitMs the most time that a call takes
   * @returns undefined if the approval is this call's
   */
  readonly claim: (
    call: LeavingCall & { readonly approval: string },
    waitMs: number
  ) => Effect.Effect<EarlierCall | undefined, SqlError>
  /**
   * Stores a call's end soon; retried while the database is away.
   *
   * @param result JSON for those who come with the same approval. It is sealed, and kept for a day
   */
  readonly end: (id: string, end: CallEnd, result?: unknown) => Effect.Effect<void>
  /** Stores a call that never leaves. */
  readonly add: (call: LeavingCall, end: CallEnd) => Effect.Effect<void>
}

/** Stores the calls of servers' tools. Its code is loaded with the first. Stores nothing by default. */
export class CallRows extends Context.Reference<CallRows>()("gateway/tools/CallRows", {
  defaultValue: (): Rows => ({
    begin: () => Effect.void,
    claim: () => Effect.succeed(undefined),
    end: () => Effect.void,
    add: () => Effect.void
  })
}) {
  static readonly layer = Layer.suspend(() => Layer.scoped(CallRows, make))
}

const make = Effect.gen(function* () {
  const context = yield* Effect.context<SqlClient.SqlClient | Commits | Daemons | Scope.Scope>()
  // In a fiber of its own, which the first caller's end does not interrupt, but which the scope can.
  const loading = yield* Effect.promise(() => import("./storedCalls.ts")).pipe(
    Effect.flatMap(({ makeStoredCalls }) => makeStoredCalls),
    Effect.provide(context),
    Effect.interruptible,
    Effect.forkDaemon,
    Effect.cached
  )
  const loaded = Effect.flatMap(loading, Fiber.join)
  return CallRows.of({
    begin: (call) => Effect.flatMap(loaded, ({ begin }) => begin(call)),
    claim: (call, waitMs) => Effect.flatMap(loaded, ({ claim }) => claim(call, waitMs)),
    end: (id, end, result) => Effect.flatMap(loaded, (rows) => rows.end(id, end, result)),
    add: (call, end) => Effect.flatMap(loaded, ({ add }) => add(call, end))
  })
})
