import type { SqlClient } from "@effect/sql"
import { Context } from "effect"

/**
 * A connection outside the pool, for statements that must not queue behind those of requests. Undefined with SQLite,
 * where a single process has one connection.
 */
export class Aside extends Context.Reference<Aside>()("gateway/sql/Aside", {
  defaultValue: (): SqlClient.SqlClient | undefined => undefined
}) {}
