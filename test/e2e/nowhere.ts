import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"

/** Where a gateway keeps its data. */
interface Place {
  readonly folder: string
  readonly engine: string
  readonly env: Readonly<Record<string, string>>
}

/** Searches the database, everything that the gateway wrote or printed, and what it answered. */
export const expectNowhere = async (
  planted: Readonly<Record<string, string>>,
  { engine, env, folder }: Place,
  texts: ReadonlyArray<string>
) => {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path).toString("latin1")] as const)
  const cells = engine === "postgres" ? [["the dump", await dump(env["GATEWAY_DATABASE_URL"] ?? "")] as const] : []
  expect([...files, ...cells].some(([, text]) => text.includes("at once"))).toBe(true)
  const places = [...files, ...cells, ...texts.map((text, index) => [`what was said, ${index}`, text] as const)]
  for (const [place, text] of places) {
    for (const [field, secret] of Object.entries(planted)) {
      expect(text.includes(secret), `${field} in ${place}: ${around(text, secret)}`).toBe(false)
    }
  }
}

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret)
  return at === -1 ? "" : text.slice(Math.max(0, at - 300), at + 100)
}

/** All rows of all tables. */
const dump = async (url: string): Promise<string> => {
  const sql = new Bun.SQL({ url, max: 1 })
  const tables: ReadonlyArray<{ tablename: string }> = await sql.unsafe(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
  )
  let text = ""
  for (const { tablename } of tables) {
    const rows: ReadonlyArray<{ row: string }> = await sql.unsafe(
      `SELECT "${tablename}"::text AS row FROM "${tablename}"`
    )
    text += rows.map(({ row }) => row).join("\n")
  }
  await sql.close()
  return text
}

/** The kinds of the ended tasks whose request is still stored. */
export const tasksWithRequests = async ({ engine, env, folder }: Place) => {
  const url = engine === "postgres" ? env["GATEWAY_DATABASE_URL"] : `sqlite:${join(folder, "data/gateway.db")}`
  const sql = new Bun.SQL(url ?? "", { max: 1 })
  const rows: ReadonlyArray<{ kind: string }> = await sql.unsafe(
    `SELECT kind FROM tasks JOIN task_requests ON task_id = id WHERE ended_at IS NOT NULL`
  )
  await sql.close()
  return rows.map(({ kind }) => kind)
}
