import { Database as SqliteFile } from "bun:sqlite"
import type { Engine } from "../sql/engines.ts"

type Rows = ReadonlyArray<Record<string, unknown>>

/** Runs statements on a gateway's database, beside the gateway. The rows of the last one. */
export const statementsOn = async (
  engine: Pick<Engine, "name">,
  database: string,
  statements: ReadonlyArray<string>
): Promise<Rows> => {
  if (engine.name === "sqlite") {
    const file = new SqliteFile(database)
    file.run("PRAGMA busy_timeout = 5000")
    const found = statements.map((one) => file.query<Record<string, unknown>, []>(one).all())
    file.close()
    return found.at(-1) ?? []
  }
  const sql = new Bun.SQL({ url: database, max: 1 })
  let found: Rows = []
  for (const one of statements) found = await sql.unsafe(one)
  await sql.close()
  return found
}
