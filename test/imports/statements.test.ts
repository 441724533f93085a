import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { readSources } from "./imports.ts"
import { misplacedSql } from "./statements.ts"

describe("SQL", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../src"))

  it("stands in stores, and its rows are decoded", () => {
    expect(misplacedSql(sources)).toEqual([])
  })

  it.each([
    ["admin/Keys.ts", "sql`SELECT 1`", ["admin/Keys.ts: SQL belongs in a store"]],
    ["admin/Keys.ts", 'sql.unsafe("SELECT 1")', ["admin/Keys.ts: SQL belongs in a store"]],
    [
      "access/store/Keys.ts",
      "sql<{ n: number }>`SELECT 1 AS n`",
      ["access/store/Keys.ts: rows are decoded, not asserted"]
    ],
    ["access/store/Keys.ts", 'sql.unsafe<{ n: number }>("")', ["access/store/Keys.ts: rows are decoded, not asserted"]],
    ["access/store/Keys.ts", "sql`SELECT 1`", []],
    ["sql/Changes.ts", "sql<{ n: number }>`SELECT 1 AS n`", []]
  ])("in %s as %s", (file, text, expected) => {
    expect(misplacedSql(new Map([[file, `export const one = (sql) => ${text}`]]))).toEqual(expected)
  })
})
