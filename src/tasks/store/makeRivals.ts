import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { mostRivals, rivalryMs } from "../rivalry.ts"
import { RequestSeal } from "../RequestSeal.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { TaskStorage } from "../TaskStorage.ts"

/** A fingerprint's name at the seal: the request is sealed by the task's id itself. */
export const sealOf = (id: string): string => `${id} fingerprint`

/** The other submits that may have made a video of the upstream's list. */
export const makeRivals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { open } = yield* RequestSeal

  /** Null for one that can't be opened, as for one that an older gateway submitted. */
  const opened = (id: string, fingerprint: string | null): Effect.Effect<unknown> =>
    fingerprint === null
      ? Effect.succeed(null)
      : open(sealOf(id), fingerprint).pipe(Effect.catchAllDefect(() => Effect.succeed(null)))

  /**
   * Answered from two indexes, which contain only tasks with an upstream id and unanswered submits. One statement: a
   * task that gets its id or is removed meanwhile is in one of them, never in none.
   */
  const rivals: TaskStorage["rivals"] = Effect.fnUntraced(function* ({ id, lane }, upstreamIds, submitAtMs) {
    if (upstreamIds.length === 0) return { taken: new Set<string>(), unheard: [], isCut: false }
    const [fromMs, untilMs] = [submitAtMs - rivalryMs, submitAtMs + rivalryMs]
    const found = unknown.all(
      yield* orStoreFailure(sql`SELECT upstream_id, id, 0 AS submit_at, 0 AS is_open, NULL AS fingerprint FROM tasks
          WHERE ${sql.in("upstream_id", upstreamIds)} AND lane = ${lane} AND id <> ${id}
        UNION ALL
        SELECT * FROM (SELECT upstream_id, id, submit_at, CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END AS is_open, fingerprint
          FROM tasks
          WHERE lane = ${lane} AND submit_at IS NOT NULL AND upstream_id IS NULL AND id <> ${id}
          AND submit_at BETWEEN ${fromMs} AND ${untilMs} LIMIT ${mostRivals + 1}) AS unheard
        UNION ALL
        SELECT * FROM (SELECT upstream_id, task_id, submit_at, 0 AS is_open, fingerprint FROM removed_submits
          WHERE lane = ${lane} AND (${sql.in("upstream_id", upstreamIds)}
            OR (upstream_id IS NULL AND submit_at BETWEEN ${fromMs} AND ${untilMs})) LIMIT ${mostRivals + 1}) AS removed`)
    )
    const unheard = found.filter(({ upstream_id }) => upstream_id === null)
    return {
      taken: new Set(found.flatMap(({ upstream_id }) => upstream_id ?? [])),
      unheard: yield* Effect.forEach(unheard.slice(0, mostRivals), ({ fingerprint, id, is_open, submit_at }) =>
        Effect.map(opened(id, fingerprint), (read) => ({
          id,
          submitAtMs: submit_at,
          isOpen: is_open === 1,
          fingerprint: read
        }))
      ),
      isCut: unheard.length > mostRivals
    }
  })
  return rivals
})

const unknown = rows("tasks", {
  upstream_id: Schema.NullOr(Schema.String),
  id: Schema.String,
  submit_at: Schema.Int,
  is_open: Schema.Int,
  fingerprint: Schema.NullOr(Schema.String)
})
