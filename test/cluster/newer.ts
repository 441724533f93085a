import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { bundle } from "../e2e/program.ts"

const root = resolve(import.meta.dirname, "../..")

const expanding = `import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
export const expanding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql\`ALTER TABLE tasks ADD COLUMN of_the_next_version TEXT\`
  yield* sql\`CREATE TABLE of_the_next_version (id TEXT PRIMARY KEY)\`
})
`

/**
 * The gateway as its next version may be: this one, with a migration that expands the schema.
 * @returns its program
 */
export const newerGateway = async (folder: string): Promise<string> => {
  for (const name of ["src", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "src/sql/migrations/9999_expanding.ts"), expanding)
  const file = join(folder, "src/sql/migrations.ts")
  const text = readFileSync(file, "utf8")
  const numbers = [...text.matchAll(/^ {2}\[(\d+), "/gm)].map(([, number]) => Number(number))
  const list = /^const onBoth[^]*?^\]$/m.exec(text)?.[0]
  if (list === undefined) throw new Error("the list of migrations is not where it was")
  const longer = `${list.slice(0, -2)},\n  [${Math.max(...numbers) + 1}, "expanding", expanding]\n]`
  const imported = `import { expanding } from "./migrations/9999_expanding.ts"\n`
  writeFileSync(file, imported + text.replace(list, () => longer))
  return bundle(join(folder, "program"), folder)
}
