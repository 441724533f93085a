import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { makeBatchWriter } from "../sql/BatchWriter.ts"
import { Commits } from "../sql/Commits.ts"
import type { Prepared } from "../sql/prepare.ts"
import { committing } from "../sql/Writes.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { ResultSeal } from "./ResultSeal.ts"
import { toolCalls, toolCallWriter } from "./store/toolCalls.ts"
import type { CallEnd, LeavingCall } from "./store/toolCalls.ts"

/** Rows per write. */
const most = 64
/** The most ends that wait, while the database is away or can't keep up. */
const capacity = 20_000
/** How often the end of a call elsewhere is looked for. */
const lookEvery = "200 millis"
/** The time from a call's own bound until its end is stored. */
const graceMs = 5_000

/** The end of the call that used up an approval. */
export interface EarlierCall extends Pick<CallEnd, "outcome"> {
  /** As `end` had it; absent if it is no longer kept, or was never known. */
  readonly result?: unknown
}

/** Rows of calls: their beginnings are awaited, each in a commit that SQLite shares among many; their ends are gathered. */
export const makeStoredCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const sealing = yield* ResultSeal
  const dropped = (yield* Metrics).requestRowsDropped.of()
  const { begun, claimed, ended, whole } = toolCallWriter(sql)
  const { withApproval } = toolCalls(sql)
  const writes = committing(commits, "soon", (statements: ReadonlyArray<Prepared>) => statements)
  const ends = yield* makeBatchWriter("tool calls", most, writes, { capacity, lost: () => dropped.add(1) })

  /** The end of the call that used up an approval; `unknown` if none comes. @param id of the call that asks */
  const earlier = (
    { account, approval, id }: LeavingCall & { readonly approval: string },
    waitMs: number
  ): Effect.Effect<EarlierCall, SqlError> => {
    const look: Effect.Effect<EarlierCall, SqlError> = Effect.gen(function* () {
      const row = yield* withApproval(account, approval)
      if (row === undefined) return { outcome: "unknown" }
      const nowMs = yield* Clock.currentTimeMillis
      // An earlier run of this very call has ended: no one stores its end any more.
      const mayEnd = row.id !== id && nowMs < row.at + waitMs + graceMs
      if (row.outcome === "unknown" && mayEnd) {
        return yield* Effect.delay(look, lookEvery)
      }
      if (row.result === null) return { outcome: row.outcome }
      return { outcome: row.outcome, result: yield* sealing.open(row.id, row.result) }
    })
    return look
  }

  return {
    begin: (call: LeavingCall) => Effect.asVoid(commits.commit(begun(call), "soon")),
    claim: (call: LeavingCall & { readonly approval: string }, waitMs: number) =>
      Effect.flatMap(commits.commit(claimed(call), "first"), ({ length }) =>
        length > 0 ? Effect.succeed(undefined) : earlier(call, waitMs)
      ),
    end: (id: string, end: CallEnd, result: unknown) =>
      Effect.map(result === undefined ? Effect.succeed(null) : sealing.seal(id, result), (sealed) =>
        ends.append(ended(id, end, sealed))
      ),
    add: (call: LeavingCall, end: CallEnd) => Effect.sync(() => ends.append(whole(call, end)))
  } as const
})
