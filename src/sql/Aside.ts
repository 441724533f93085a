import type { SqlClient } from "@effect/sql"
import { Context } from "effect"

/**
 * A connection beside those of the pool, for what must not wait behind the statements of requests: undefined with SQLite,
 * where one process serves and nothing waits for a connection.
 */
export class Aside extends Context.Reference<Aside>()("gateway/sql/Aside", {
  defaultValue: (): SqlClient.SqlClient | undefined => undefined
}) {}
