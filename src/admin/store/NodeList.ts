import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import { isoTime } from "../fields.ts"
import type { NodeRecord } from "../NodeRecord.ts"

/** The processes that serve from a Postgres. With SQLite the list is empty. */
export class NodeList extends Effect.Service<NodeList>()("gateway/admin/store/NodeList", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tasks = yield* TaskStore

    /** Longest-running first. */
    const list: Effect.Effect<ReadonlyArray<NodeRecord>> = sql.onDialectOrElse({
      pg: () =>
        sql`SELECT id, name, version, started_at,
            GREATEST(0, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint - renewed_at) AS lag,
            (SELECT COUNT(*) FROM deliveries WHERE lease_token IS NOT NULL AND lease_owner = nodes.id) AS deliveries
          FROM nodes ORDER BY started_at, id`.pipe(
          Effect.zipWith(tasks.heldByNodes, (raw, held) =>
            nodes.all(raw).map(({ deliveries, id, lag, name, started_at, version }) => ({
              object: "node" as const,
              id,
              name,
              version,
              started_at: isoTime(started_at),
              lag_seconds: lag / 1_000,
              tasks: held.get(id) ?? 0,
              deliveries
            }))
          ),
          Effect.orDie
        ),
      orElse: () => Effect.succeed([])
    })

    return { list } as const
  })
}) {}

const nodes = rows("nodes", {
  id: Schema.String,
  name: Schema.String,
  version: Schema.String,
  started_at: Schema.Int,
  lag: Schema.Int,
  deliveries: Schema.Int
})
