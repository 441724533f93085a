import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

it.effect(
  "while another process holds the file one plain write waits for it, and the others do not one after the other",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const commits = yield* Commits
      yield* sql`PRAGMA busy_timeout = 300`
      const holder = new Database(file)
      holder.run("BEGIN IMMEDIATE")
      const account = (id: string) => ({ text: "INSERT INTO accounts (id, created_at) VALUES (?, 0)", values: [id] })
      const begun = performance.now()
      for (let other = 0; other < 10; other++) expect(commits.plainly?.([account(String(other))], "commit")).toBe(false)
      // Ten that wait one after the other take this long at least.
      expect(performance.now() - begun).toBeLessThan(3_000)
      yield* Effect.flip(commits.commit(sql`INSERT INTO accounts (id, created_at) VALUES ('told', 0)`))
      expect(commits.refusal()).toBeDefined()
      holder.run("ROLLBACK")
      holder.close()
      yield* commits.commit(sql`INSERT INTO accounts (id, created_at) VALUES ('free', 0)`)
      expect(commits.plainly?.([account("plain")], "commit")).toBe(true)
    }).pipe(
      Effect.provide(Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${file}`, exclusive: true })))),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
    )
)

const folder = mkdtempSync(join(tmpdir(), "gateway-locked-"))
const file = join(folder, "locked.db")
