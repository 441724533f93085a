import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Data, Duration, Effect, Option, Schema } from "effect"
import { Node } from "../../../cluster/Node.ts"
import { Commits } from "../../../sql/Commits.ts"
import { rows } from "../../../sql/decode.ts"
import { readable } from "../../../sql/readable.ts"

/** The lease of a copy without renewal. */
export const custodyLease = Duration.minutes(1)

/** The parts of a result that have a link. */
export const Part = Schema.Literal("video", "last_frame")
export type Part = typeof Part.Type

/** A file of a task's result that is to be copied. */
export interface Wanted {
  readonly part: Part
  /** The file's name in its link. */
  readonly name: string
  readonly source: string
}

/** A copy leased by one worker: to be made from `source`, or to be removed if that is null. Times are Unix ms. */
export interface ArchivedFile extends Omit<Wanted, "source"> {
  readonly taskId: string
  readonly source: string | null
  /** The copy's file, once it exists. */
  readonly fileId: string | null
  readonly begunAtMs: number
  /** Consecutive failed tries. */
  readonly tries: number
  readonly token: string
}

/** Another worker has the lease: writes of this one change nothing. */
class CopyLost extends Data.TaggedError("CopyLost")<{ readonly taskId: string }> {}

/** Copies to be made, and finished ones until they expire. */
export class CustodyStore extends Effect.Service<CustodyStore>()("gateway/videos/custody/store/CustodyStore", {
  dependencies: [Node.Default],
  effect: Effect.gen(function* () {
    const node = yield* Node
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const leaseMs = Duration.toMillis(custodyLease)
    let claims = 0
    const skipLocked = sql.onDialectOrElse({
      pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
      orElse: () => sql.literal("")
    })

    /** Runs in the transaction in which the task succeeds. */
    const record = (taskId: string, wanted: ReadonlyArray<Wanted>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.forEach(
          wanted,
          ({ name, part, source }) =>
            sql`INSERT INTO custody (task_id, part, name, source, begun_at, due_at)
              VALUES (${taskId}, ${part}, ${name}, ${source}, ${nowMs}, ${nowMs})`,
          { discard: true }
        )
      )

    /** Leases up to `limit` due copies. */
    const claim = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<ReadonlyArray<ArchivedFile>, SqlError> {
      const nowMs = yield* Clock.currentTimeMillis
      const owner = node.id()
      const token = `${owner}:${claims++}`
      const claimed = yield* commits.commit(sql`UPDATE custody
          SET lease_owner = ${owner}, lease_token = ${token}, due_at = ${nowMs + leaseMs}
          WHERE (task_id, part) IN (SELECT task_id, part FROM custody
            WHERE due_at <= ${nowMs} ORDER BY due_at LIMIT ${limit} ${skipLocked})
          RETURNING *`)
      return (yield* readable(copies, "copy", claimed)).map((row) => ({
        taskId: row.task_id,
        part: row.part,
        name: row.name,
        source: row.source,
        fileId: row.file_id,
        begunAtMs: row.begun_at,
        tries: row.tries,
        token
      }))
    })

    const its = ({ part, taskId, token }: ArchivedFile) =>
      sql.and([sql`task_id = ${taskId}`, sql`part = ${part}`, sql`lease_token = ${token}`])

    const fenced = (held: ArchivedFile, changed: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
      Effect.flatMap(changed, (rows) => (rows.length > 0 ? Effect.void : new CopyLost({ taskId: held.taskId })))

    /** Releases a copy, due at a time. */
    const give = (held: ArchivedFile, columns: Record<string, string | number | null>, dueAtMs: number) =>
      sql`UPDATE custody SET ${sql.update({ ...columns, due_at: dueAtMs, lease_owner: null, lease_token: null })}
        WHERE ${its(held)} RETURNING task_id`

    /** Renews the lease. */
    const renew = (held: ArchivedFile): Effect.Effect<void, CopyLost | SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        fenced(
          held,
          commits.commit(
            sql`UPDATE custody SET due_at = ${nowMs + leaseMs} WHERE ${its(held)} RETURNING task_id`,
            "soon"
          )
        )
      )

    /** Releases a copy unchanged. */
    const again = (held: ArchivedFile, dueAtMs: number): Effect.Effect<void, CopyLost | SqlError> =>
      fenced(held, commits.commit(give(held, {}, dueAtMs)))

    /** Releases a copy after a failed try. */
    const later = (held: ArchivedFile, dueAtMs: number): Effect.Effect<void, CopyLost | SqlError> =>
      fenced(held, commits.commit(give(held, { tries: held.tries + 1 }, dueAtMs)))

    /** Records a finished copy with its expiry. Runs in the caller's transaction. */
    const copied = (
      held: ArchivedFile,
      { bytes, fileId, untilMs }: { readonly bytes: number; readonly fileId: string; readonly untilMs: number }
    ): Effect.Effect<void, CopyLost | SqlError> =>
      fenced(held, give(held, { source: null, file_id: fileId, bytes, tries: 0 }, untilMs))

    const forget = (held: ArchivedFile): Effect.Effect<void, CopyLost | SqlError> =>
      fenced(held, commits.commit(sql`DELETE FROM custody WHERE ${its(held)} RETURNING task_id`))

    /** The time at which the next copy is due. */
    const next: Effect.Effect<Option.Option<number>, SqlError> = Effect.map(
      sql`SELECT MIN(due_at) AS at FROM custody`,
      (found) => Option.fromNullable(dues.first(found)?.at)
    )

    const freed = (whose: Fragment) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (nowMs) => sql`UPDATE custody SET due_at = ${nowMs}, lease_owner = NULL, lease_token = NULL WHERE ${whose}`
      )
    node.whenReaping((dead) => freed(sql`lease_owner = ${dead}`))

    /** Makes due what an earlier process held, if this process is the only one. */
    const takeOver: Effect.Effect<void, SqlError> = node.isShared
      ? Effect.void
      : Effect.asVoid(commits.commit(Effect.suspend(() => freed(sql`lease_owner <> ${node.id()}`))))

    return { record, claim, renew, again, later, copied, forget, next, takeOver } as const
  })
}) {}

const copies = rows("custody", {
  task_id: Schema.String,
  part: Part,
  name: Schema.String,
  source: Schema.NullOr(Schema.String),
  file_id: Schema.NullOr(Schema.String),
  begun_at: Schema.Int,
  tries: Schema.Int
})
const dues = rows("custody", { at: Schema.NullOr(Schema.Int) })
