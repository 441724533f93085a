import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Effect } from "effect"
import { Node } from "../../cluster/Node.ts"
import { isLiving } from "../../cluster/store/living.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { partHold } from "../../ledger/partHold.ts"
import { Commits } from "../../sql/Commits.ts"
import { endedLines, heldLines, linePlaces } from "./BatchRow.ts"
import type { EndedLine, HeldLine, Outcome, Stop } from "./BatchRow.ts"

/** Lines removed in one statement. */
const removedAtOnce = 1_000

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

    /** Takes lines of a batch for this node. No two nodes get the same. */
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
              RETURNING *`
          ),
          heldLines.all
        )
      })

    const ours = ({ batch_id, place }: HeldLine) =>
      sql`batch_id = ${batch_id} AND place = ${place} AND node = ${node.id()} AND outcome IS NULL`

    /** True if this node has the line and its batch goes on. Run it in the transaction that stores the line's hold. */
    const mayBegin = (line: HeldLine): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE batch_lines SET tries = tries WHERE ${ours(line)} AND EXISTS
          (SELECT 1 FROM batches WHERE id = ${line.batch_id} AND state = 'running' AND stop IS NULL) RETURNING place`,
        (found) => found.length > 0
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

    /** Gives back lines that this node has and that did not begin. */
    const unclaim = (batch: string, given: ReadonlyArray<HeldLine>): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`UPDATE batch_lines SET node = NULL WHERE batch_id = ${batch} AND node = ${node.id()} AND ${sql.in(
          "place",
          given.map(({ place }) => place)
        )}`
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

    /** Lines in their order, after a place. */
    const page = (batch: string, after: number, limit: number): Effect.Effect<ReadonlyArray<EndedLine>, SqlError> =>
      Effect.map(
        sql`SELECT place, custom_id, outcome, status, request_id, result FROM batch_lines
          WHERE batch_id = ${batch} AND place > ${after} ORDER BY place LIMIT ${limit}`,
        endedLines.all
      )

    /** Removes some lines of a batch. True if more may be left. */
    const removeSome = (batch: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        commits.commit(
          sql`DELETE FROM batch_lines WHERE batch_id = ${batch} AND place IN
            (SELECT place FROM batch_lines WHERE batch_id = ${batch} LIMIT ${removedAtOnce}) RETURNING place`
        ),
        (removed) => removed.length === removedAtOnce
      )

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
      mayBegin,
      finish,
      counted,
      giveBack,
      unclaim,
      endWaiting,
      page,
      removeSome,
      takeOver,
      giveBackAll
    } as const
  })
}) {}
