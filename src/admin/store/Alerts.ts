import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { alertsAccount } from "../../access/alertsAccount.ts"
import { DeliveryStore } from "../../callbacks/store/DeliveryStore.ts"
import { Commits } from "../../sql/Commits.ts"
import { makeAlone } from "../../sql/alone.ts"
import { rows } from "../../sql/decode.ts"
import type { Problem } from "../attention/Problem.ts"
import { isoTime } from "../fields.ts"

/** A state is over once no node has seen it for this long, in ms: some are seen by one node alone, some come and go. */
export const goneMs = 90_000

export interface AlertChanges {
  readonly raised: ReadonlyArray<Alert>
  readonly resolved: ReadonlyArray<Alert>
}

/**
 * The alerts that are raised, over all nodes and restarts: each state raises one and resolves it, on whichever node. A
 * change and its delivery are one transaction.
 */
export class Alerts extends Effect.Service<Alerts>()("gateway/admin/store/Alerts", {
  dependencies: [DeliveryStore.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const deliveries = yield* DeliveryStore
    const alone = makeAlone(sql)

    const all = Effect.map(sql`SELECT * FROM alerts`, alerts.all)

    /** @param url of the webhook; undefined without one */
    const change = (problems: ReadonlyArray<Problem>, nowMs: number, url: string | undefined) => {
      const deliver = (alert: Alert, state: "raised" | "resolved") =>
        url === undefined
          ? Effect.void
          : deliveries.insert({
              taskId: alert.id,
              account: alertsAccount,
              sequence: state === "raised" ? 1 : 2,
              status: state,
              terminal: state === "resolved",
              url,
              body: JSON.stringify(bodyOf(alert, state, nowMs)),
              changedAtMs: nowMs
            })
      return Effect.gen(function* () {
        yield* alone("alerts")
        const before = yield* all
        const known = new Set(before.map(({ name }) => name))
        const seen = new Set(problems.flatMap(({ lesser = [], name }) => [name, ...lesser]))
        const raised = problems.flatMap((problem) => (known.has(problem.name) ? [] : [alertOf(problem, nowMs)]))
        const resolved = before.filter(({ name, seen_at }) => !seen.has(name) && seen_at <= nowMs - goneMs)
        for (const alert of raised) {
          yield* sql`INSERT INTO alerts ${sql.insert({ ...alert })}`
          yield* deliver(alert, "raised")
        }
        for (const alert of resolved) {
          yield* sql`DELETE FROM alerts WHERE name = ${alert.name}`
          yield* deliver(alert, "resolved")
        }
        const again = before.flatMap(({ name }) => (seen.has(name) ? [name] : []))
        if (again.length > 0) yield* sql`UPDATE alerts SET seen_at = ${nowMs} WHERE ${sql.in("name", again)}`
        return { raised, resolved }
      })
    }

    /** Compares the states that this node sees with the raised alerts. */
    const tell = (
      problems: ReadonlyArray<Problem>,
      nowMs: number,
      url: string | undefined
    ): Effect.Effect<AlertChanges, SqlError> =>
      Effect.flatMap(all, (before) =>
        before.length === 0 && problems.length === 0
          ? Effect.succeed({ raised: [], resolved: [] })
          : commits.commit(change(problems, nowMs, url))
      )

    return { tell } as const
  })
}) {}

const alertOf = ({ id, level, message, name, what }: Problem, nowMs: number): Alert => ({
  name,
  id: `alert_${crypto.randomUUID().replaceAll("-", "")}`,
  level,
  what,
  target: id,
  message,
  raised_at: nowMs,
  seen_at: nowMs
})

const bodyOf = (alert: Alert, state: "raised" | "resolved", nowMs: number) => ({
  type: `alert.${state}`,
  timestamp: isoTime(nowMs),
  data: {
    id: alert.id,
    level: alert.level,
    what: alert.what,
    target: alert.target,
    message: alert.message,
    raised_at: isoTime(alert.raised_at),
    resolved_at: state === "resolved" ? isoTime(nowMs) : null
  }
})

const alerts = rows("alerts", {
  name: Schema.String,
  id: Schema.String,
  level: Schema.String,
  what: Schema.String,
  target: Schema.NullOr(Schema.String),
  message: Schema.String,
  raised_at: Schema.Int,
  seen_at: Schema.Int
})
export type Alert = ReturnType<typeof alerts.one>
