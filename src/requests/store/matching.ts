import type { SqlClient } from "@effect/sql"
import type { Outcome } from "../outcome.ts"

/** Which requests; what is absent is any. */
export interface RequestFilter {
  readonly account?: string | undefined
  readonly key?: string | undefined
  /** What only asks for a price (`account`) is found by its family or endpoint alone. */
  readonly family?: string | undefined
  readonly endpoint?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
  /** Exact (`429`), or a class by its first digit (`4`). */
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

/** `outcomeOf`, as conditions of a row. */
export const outcomeSql: Readonly<Record<Outcome, string>> = {
  finished: "status < 400 AND error = ''",
  refused: "status >= 400 AND status < 500 AND status <> 499 AND error <> 'hang_up'",
  failed: "status >= 500 AND error <> 'hang_up'",
  cut: "status < 400 AND error <> '' AND error <> 'hang_up'",
  hang_up: "(error = 'hang_up' OR status = 499)"
}

/** What rows of `requests` must be like. */
export const matching = (sql: SqlClient.SqlClient, filter: RequestFilter) => [
  ...(filter.account === undefined ? [] : [sql`account_id = ${filter.account}`]),
  ...(filter.key === undefined ? [] : [sql`key_id = ${filter.key}`]),
  ...(filter.family === undefined ? [] : [sql`family = ${filter.family}`]),
  ...(filter.endpoint === undefined ? [] : [sql`endpoint = ${filter.endpoint}`]),
  ...(filter.family === undefined && filter.endpoint === undefined ? [sql`family <> 'account'`] : []),
  ...(filter.model === undefined ? [] : [sql`model = ${filter.model}`]),
  ...(filter.upstream === undefined ? [] : [sql`upstream = ${filter.upstream}`]),
  ...(filter.error === undefined ? [] : [sql`error = ${filter.error}`]),
  ...(filter.outcome === undefined ? [] : [sql.literal(outcomeSql[filter.outcome])]),
  ...(filter.status === undefined
    ? []
    : filter.status < 10
      ? [sql`status >= ${filter.status * 100}`, sql`status < ${filter.status * 100 + 100}`]
      : [sql`status = ${filter.status}`]),
  ...(filter.sinceMs === undefined ? [] : [sql`at >= ${filter.sinceMs}`]),
  ...(filter.untilMs === undefined ? [] : [sql`at <= ${filter.untilMs}`])
]
