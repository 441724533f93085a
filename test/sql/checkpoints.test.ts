import { Database } from "bun:sqlite"
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, afterEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { commit, withCommits } from "./committing.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true }))

afterEach(() => vi.unstubAllGlobals())

/** As where the system gives no more threads. */
const broken = () => {
  throw new Error("no more threads")
}

class Silent extends EventTarget {
  postMessage(): void {}
  terminate(): void {}
}

const digest = (file: string) => Bun.SHA256.hash(readFileSync(file), "hex")

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

  it.live("leave another file at the database's path as it is", () =>
    Effect.gen(function* () {
      const [file, other] = [join(folder, "replaced.db"), join(folder, "other.db")]
      yield* Effect.provide(commit(0, 10), withCommits(other))
      const before = digest(other)
      const written = Effect.gen(function* () {
        yield* commit(0, 100)
        copyFileSync(other, `${file}.new`)
        renameSync(`${file}.new`, file)
        yield* commit(100, 3_000)
        // Nobody has opened it yet: that would bring the log of the other to it.
        return digest(file)
      })
      expect(yield* Effect.provide(written, withCommits(file))).toBe(before)
    })
  )

  it.live("that no thread makes are the connection's own, and it ends all the same", () =>
    Effect.gen(function* () {
      const file = join(folder, "alone.db")
      vi.stubGlobal("Worker", vi.fn(broken))
      const alone = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commit(0, 300)
        yield* Effect.promise(() => new Promise(setImmediate))
        return yield* sql<{ wal_autocheckpoint: number }>`PRAGMA wal_autocheckpoint`
      })
      const silenced = Effect.provide(alone, withCommits(file)).pipe(Logger.withMinimumLogLevel(LogLevel.None))
      expect(yield* silenced).toEqual([{ wal_autocheckpoint: 8_000 }])
    })
  )

  it.live("of a thread that never answers do not keep the gateway from ending", () =>
    Effect.gen(function* () {
      const file = join(folder, "silent.db")
      vi.stubGlobal("Worker", Silent)
      const began = performance.now()
      yield* Effect.provide(commit(0, 300), withCommits(file))
      expect(performance.now() - began).toBeLessThan(4_000)
      expect(ask(file, "SELECT COUNT(*) AS n FROM accounts")).toEqual({ n: 300 })
    })
  )
})
