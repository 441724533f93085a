import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Effect } from "effect"
import { Node } from "../../cluster/Node.ts"
import { isLiving } from "../../cluster/store/living.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { partHold } from "../../ledger/partHold.ts"
import { Commits } from "../../sql/Commits.ts"
import { endedLines, heldLines, linePlaces, lineRequests, lineSizes } from "./BatchRow.ts"
import type { HeldLine, Outcome, Stop } from "./BatchRow.ts"

/** Lines removed in one statement. */
const removedAtOnce = 1_000
/** The bytes of results that are read at once, beyond the first. */
const pageBytes = 4 * 1024 * 1024

/** A line to store, with its sealed request. */
export interface NewLine {
  readonly place: number
  readonly customId: string
  readonly request: string
}

/** The end of a line that a node has run. */
interface LineEnd {
  readonly outcome: Outcome
  readonly status: number
  readonly requestId: string
  /** The answer's JSON; null of one that is no longer wanted. */
  readonly result: string | null
}

/**
 * The lines of batches. A node holds the lines that it runs, and each of those may hold money (`partHold`): both end in one
 * transaction with the line's result, or when the node has died.
 */
export class LineStore extends Effect.Service<LineStore>()("gateway/batches/store/LineStore", {
  dependencies: [Commits.Default, Node.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const node = yield* Node
    const ledger = yield* Ledger

    const insert = (batch: string, lines: ReadonlyArray<NewLine>): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`INSERT INTO batch_lines ${sql.insert(
          lines.map(({ customId, place, request }) => ({ batch_id: batch, place, custom_id: customId, request }))
        )}`
      )

    const living = node.isShared ? () => sql`AND ${isLiving(sql, node.id())}` : () => sql``

    /** Takes lines of a batch for this node, without their requests. No two nodes get the same. */
    const claim = (batch: string, limit: number): Effect.Effect<ReadonlyArray<HeldLine>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const due = sql`SELECT place FROM batch_lines WHERE batch_id = ${batch} AND outcome IS NULL AND node IS NULL
          AND next_at <= ${nowMs} ORDER BY next_at, place LIMIT ${limit}`
        const among = sql.onDialectOrElse({
          pg: () => sql`place = ANY (ARRAY(${due} FOR UPDATE SKIP LOCKED))`,
          orElse: () => sql`place IN (${due})`
        })
        return Effect.map(
          commits.commit(
            sql`UPDATE batch_lines SET node = ${node.id()} WHERE batch_id = ${batch} AND ${among} ${living()}
              RETURNING batch_id, place, attempts, tries, COALESCE(octet_length(request), 0) AS bytes`
          ),
          heldLines.all
        )
      })

    /**
     * Frees lines of a batch that this node has, beside those that run. The connection may have ended while they were taken,
     * so that no one knows them.
     */
    const unclaim = (batch: string, running: ReadonlyArray<HeldLine>): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`UPDATE batch_lines SET node = NULL WHERE ${sql.and([
          sql`batch_id = ${batch} AND node = ${node.id()} AND outcome IS NULL`,
          ...(running.length === 0
            ? []
            : [
                sql`NOT (${sql.in(
                  "place",
                  running.map(({ place }) => place)
                )})`
              ])
        ])}`
      )

    const ours = ({ batch_id, place }: HeldLine) =>
      sql`batch_id = ${batch_id} AND place = ${place} AND node = ${node.id()} AND outcome IS NULL`

    /** True if this node has the line and its batch goes on. Run it in the transaction that stores the line's hold. */
    const mayBegin = (line: HeldLine): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE batch_lines SET tries = tries WHERE ${ours(line)} AND EXISTS
          (SELECT 1 FROM batches WHERE id = ${line.batch_id} AND state = 'running' AND stop IS NULL) RETURNING place`,
        (found) => found.length > 0
      )

    /** The sealed request of a line that this node has; undefined if another one has it. */
    const requestOf = (line: HeldLine): Effect.Effect<string | undefined, SqlError> =>
      Effect.map(
        sql`SELECT request FROM batch_lines WHERE ${ours(line)}`,
        (found) => lineRequests.first(found)?.request ?? undefined
      )

    /** Counts ended lines. False if the batch has ended. */
    const count = (batch: string, outcome: Outcome, lines: number, nanoUsd: number): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE batches SET ${sql(outcome)} = ${sql(outcome)} + ${lines}, cost_nano_usd = cost_nano_usd + ${nanoUsd}
          WHERE id = ${batch} AND state = 'running' RETURNING id`,
        (found) => found.length > 0
      )

    /**
     * Ends a line with its result. False if another node has it by now. Run it in the transaction that ends its hold, with
     * `counted` behind it.
     */
    const finish = (
      line: HeldLine,
      { outcome, requestId, result, status }: LineEnd
    ): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE batch_lines SET ${sql.update({ outcome, status, request_id: requestId, result, request: null, node: null })}
          WHERE ${ours(line)} RETURNING place`,
        (found) => found.length > 0
      )

    /** Counts a line that has ended. Last in its transaction, since all lines of a batch write the same row. */
    const counted = ({ batch_id }: HeldLine, outcome: Outcome, costNanoUsd: number) =>
      count(batch_id, outcome, 1, costNanoUsd)

    /** Gives a line back, for a later time. False if another node has it. Run it in the transaction that ends its hold. */
    const giveBack = (
      line: HeldLine,
      { nextAtMs, tries }: { readonly nextAtMs: number; readonly tries: number }
    ): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE batch_lines SET node = NULL, next_at = ${nextAtMs}, tries = ${tries}, attempts = ${line.attempts}
          WHERE ${ours(line)} RETURNING place`,
        (found) => found.length > 0
      )

    /** Ends some lines that no node has; returns how many. */
    const endWaiting = (
      batch: string,
      { outcome, result, status }: Stop,
      limit: number
    ): Effect.Effect<number, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          const ended = yield* sql`UPDATE batch_lines SET ${sql.update({ outcome, status, result, request: null })}
            WHERE batch_id = ${batch} AND node IS NULL AND outcome IS NULL AND place IN
              (SELECT place FROM batch_lines WHERE batch_id = ${batch} AND outcome IS NULL AND node IS NULL
                ORDER BY next_at, place LIMIT ${limit}) RETURNING place`
          if (ended.length > 0) yield* count(batch, outcome, ended.length, 0)
          return ended.length
        })
      )

    /** Lines in their order, after a place: at most so many, and fewer if their results are long. None: there are no more. */
    const page = Effect.fnUntraced(function* (batch: string, after: number, limit: number) {
      const sizes = lineSizes.all(
        yield* sql`SELECT place, COALESCE(octet_length(result), 0) AS bytes FROM batch_lines
          WHERE batch_id = ${batch} AND place > ${after} ORDER BY place LIMIT ${limit}`
      )
      let bytes = 0
      const beyond = sizes.findIndex((line, index) => (bytes += line.bytes) > pageBytes && index > 0)
      const last = sizes.at(beyond === -1 ? -1 : beyond - 1)?.place ?? after
      return endedLines.all(
        yield* sql`SELECT place, custom_id, outcome, status, request_id, result FROM batch_lines
          WHERE batch_id = ${batch} AND place > ${after} AND place <= ${last} ORDER BY place`
      )
    })

    /** Removes some of the lines that meet a condition. True if more may be left. */
    const removeSome = (batch: string, which: Fragment): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        commits.commit(
          sql`DELETE FROM batch_lines WHERE batch_id = ${batch} AND place IN
            (SELECT place FROM batch_lines WHERE batch_id = ${batch} AND ${which} LIMIT ${removedAtOnce}) RETURNING place`
        ),
        (removed) => removed.length === removedAtOnce
      )

    const removeAll = (batch: string, which: Fragment): Effect.Effect<unknown, SqlError> =>
      Effect.repeat(removeSome(batch, which), { while: (hasMore) => hasMore })

    /** Removes the lines of a batch whose file is looked at. Those of one that runs stay, also if a paused node asks. */
    const removeFilled = (batch: string) =>
      removeAll(batch, sql`EXISTS (SELECT 1 FROM batches WHERE id = ${batch} AND state = 'validating')`)

    /** Removes the lines that have ended, whose results are in files. */
    const removeEnded = (batch: string) => removeAll(batch, sql`outcome IS NOT NULL`)

    /** Frees lines with their holds. */
    const free = (whose: Fragment, attempts: number): Effect.Effect<number, SqlError> =>
      Effect.gen(function* () {
        const freed = linePlaces.all(
          yield* sql`UPDATE batch_lines SET node = NULL, attempts = attempts + ${attempts} WHERE ${whose} RETURNING batch_id, place`
        )
        yield* Effect.forEach(freed, ({ batch_id, place }) => ledger.endHold(partHold(batch_id, place), undefined), {
          discard: true
        })
        return freed.length
      })

    node.whenReaping((dead) => Effect.suspend(() => free(sql`node = ${dead}`, 1)))

    /** Frees the lines of an earlier process. With several nodes, the one that reaps another does. */
    const takeOver: Effect.Effect<number, SqlError> = node.isShared
      ? Effect.succeed(0)
      : Effect.suspend(() => commits.commit(free(sql`node IS NOT NULL AND node <> ${node.id()}`, 1)))

    /** Gives back every line that this node has, without counting an attempt. For its end, when none runs any more. */
    const giveBackAll: Effect.Effect<unknown, SqlError> = Effect.suspend(() =>
      commits.commit(free(sql`node = ${node.id()}`, 0))
    )

    return {
      insert,
      claim,
      unclaim,
      requestOf,
      mayBegin,
      finish,
      counted,
      giveBack,
      endWaiting,
      page,
      removeFilled,
      removeEnded,
      takeOver,
      giveBackAll
    } as const
  })
}) {}
