import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { sendingAccounts } from "./sending.ts"

it.effect(
  "while another process holds the file one plain write waits for it, and the others do not one after the other",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const commits = yield* Commits
      yield* sql`PRAGMA busy_timeout = 300`
      const holder = new Database(file)
      holder.run("BEGIN IMMEDIATE")
      const send = yield* sendingAccounts
      const begun = performance.now()
      for (let other = 0; other < 40; other++) expect(send([String(other)], "durable").isAtOnce).toBe(false)
      // Forty that wait one after the other take this long at least; one alone is done in a moment, on a busy machine too.
      expect(performance.now() - begun).toBeLessThan(12_000)
      yield* Effect.flip(commits.commit(sql`INSERT INTO accounts (id, created_at) VALUES ('told', 0)`))
      expect(commits.refusal()).toBeDefined()
      holder.run("ROLLBACK")
      holder.close()
      yield* commits.commit(sql`INSERT INTO accounts (id, created_at) VALUES ('free', 0)`)
      expect(send(["plain"], "durable").isAtOnce).toBe(true)
    }).pipe(
      Effect.provide(Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${file}`, exclusive: true })))),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
    )
)

const folder = mkdtempSync(join(tmpdir(), "gateway-locked-"))
const file = join(folder, "locked.db")
