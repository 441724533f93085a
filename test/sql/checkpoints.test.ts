import { Database } from "bun:sqlite"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** As requests do it: a few commits in each turn of the event loop. */
const commit = (from: number, count: number) =>
  Effect.gen(function* () {
    const { writeNow } = yield* Commits
    for (let n = from; n < from + count; n++) {
      const values = [`account-${n * 7_919}`, n]
      expect(writeNow?.([{ text: "INSERT INTO accounts (id, created_at) VALUES (?, ?)", values }])).toBe(true)
      if (n % 8 === 0) yield* Effect.promise(() => new Promise(setImmediate))
    }
  })

const withCommits = (file: string) =>
  Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${file}`, exclusive: true })))

const ask = (file: string, text: string) => {
  using database = new Database(file, { readonly: true })
  return database.query(text).get()
}

describe("checkpoints of another thread", () => {
  it.live("let the log begin anew while commits go on", () =>
    Effect.gen(function* () {
      const file = join(folder, "busy.db")
      const size = Effect.map(commit(0, 12_000), () => statSync(`${file}-wal`).size)
      // Three pages a commit and more, 150 MB in all; without the thread a checkpoint would come at 128.
      expect(yield* Effect.provide(size, withCommits(file))).toBeLessThan(64 * 1024 * 1024)
      expect(ask(file, "SELECT COUNT(*) AS n FROM accounts")).toEqual({ n: 12_000 })
      expect(ask(file, "PRAGMA integrity_check")).toEqual({ integrity_check: "ok" })
    })
  )

  it("leave no log where a process has ended: the database can be copied as one file", () => {
    const file = join(folder, "ended.db")
    const { status, stderr } = spawnSync("bun", [`${import.meta.dirname}/writesMuch.ts`, file, "3000"])
    expect([status, stderr.toString()]).toEqual([0, ""])
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(ask(file, "SELECT COUNT(*) AS n FROM accounts")).toEqual({ n: 3_000 })
  })

  it.live("that can't be made keep nobody from committing, or from ending", () =>
    Effect.gen(function* () {
      const file = join(folder, "gone.db")
      const written = Effect.gen(function* () {
        yield* commit(0, 500)
        rmSync(file)
        yield* commit(500, 3_000)
      })
      yield* Effect.provide(written, withCommits(file))
      expect(existsSync(file)).toBe(false)
    })
  )
})
