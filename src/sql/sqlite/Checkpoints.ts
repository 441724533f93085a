import { SqlClient } from "@effect/sql"
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { threadFile } from "../../flow/threadFile.ts"
import type { Done, Order } from "./checkpointThread.ts"
import { databaseFile, holdFiles } from "./heldFile.ts"

/** How many pages the log is to have when they are copied, 32 MB, and the commits after which that is first looked at. */
const wanted = 8_000
const first = 200
/** How many commits there are between two copies, whatever the last one found. */
const fewest = 50
const most = 2_000

/** Brings what is in the log to the database's file. */
export interface Checkpoints {
  /** There has been a commit. */
  readonly committed: () => void
}

/** Where there are none of a thread, the connection makes its own, as it does from `wal_autocheckpoint` on. */
export const noCheckpoints: Checkpoints = { committed: () => {} }

/**
 * Checkpoints on a thread with a connection of its own. A checkpoint copies pages and waits for the disk twice: on the one
 * thread that there is everybody stood still for 4 to 5 ms, twice a second under load. While commits go on that thread
 * never has all of them, and only a log of which all is copied begins anew: what is left, of the last milliseconds, is
 * copied here, in 2. Not with macOS's own SQLite, which may be one of those (before 3.51.3) that can lose commits between
 * two that checkpoint.
 */
export const makeCheckpoints: Effect.Effect<Checkpoints, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const file = yield* databaseFile
    const byItself = sql.unsafe(`PRAGMA wal_autocheckpoint = ${wanted}`)
    if (file === "") return noCheckpoints
    if (process.platform === "darwin") return yield* Effect.as(Effect.orDie(byItself), noCheckpoints)
    const lost = holdFiles(file)
    const run = (effect: Effect.Effect<unknown, unknown>) => void Runtime.runFork(runtime)(Effect.ignore(effect))
    const rest = sql`PRAGMA wal_checkpoint(PASSIVE)`

    let commits = 0
    let every = first
    let thread: Thread | undefined
    let underWay: Promise<void> | undefined

    const checkpoint = async () => {
      try {
        // Another file at its path is not this log's.
        if (lost() !== undefined) return
        // Most processes never write so much, and do without.
        const done = await (thread ??= new Thread()).ask({ file })
        // With the disk full, say. There is another time.
        if ("failed" in done) return
        every = Math.min(most, Math.max(fewest, Math.round((every * wanted) / Math.max(1, done.pages))))
        run(rest)
      } catch (cause) {
        thread?.terminate()
        commits = -Infinity
        const warned = Effect.logWarning("no thread copies the database's log: callers wait for it", cause)
        run(Effect.zipRight(Effect.annotateLogs(warned, { event: "checkpoints.failed" }), byItself))
      } finally {
        underWay = undefined
      }
    }

    // Whoever closes the database last removes its log: the connection that is everybody's, which is closed after this.
    const closed = async () => {
      commits = -Infinity
      await underWay
      await thread?.ask({ close: true })
    }
    yield* Effect.addFinalizer(() =>
      Effect.tryPromise(closed).pipe(
        Effect.interruptible,
        Effect.timeoutOption("2 seconds"),
        Effect.ignore,
        Effect.zipRight(Effect.sync(() => thread?.terminate()))
      )
    )
    return {
      committed: () => {
        if (++commits < every || underWay !== undefined) return
        commits = 0
        underWay = checkpoint()
      }
    }
  }
)

/** One order at a time. */
class Thread {
  readonly #worker = new Worker(threadFile(import.meta.url, "sql/sqlite/checkpointThread"))
  #asked: PromiseWithResolvers<Done> | undefined
  #isGone = false

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Done>) => this.#asked?.resolve(data))
    this.#worker.addEventListener("error", ({ message }) => this.#gone(message))
    this.#worker.addEventListener("close", () => this.#gone("it has ended"))
  }

  /** What became of it; rejects where the thread is no more. */
  ask(order: Order): Promise<Done> {
    if (this.#isGone) return Promise.reject(new Error("there is no such thread any more"))
    this.#asked = Promise.withResolvers()
    this.#worker.postMessage(order, [])
    return this.#asked.promise
  }

  terminate(): void {
    this.#worker.terminate()
  }

  #gone(why: string): void {
    this.#isGone = true
    this.#asked?.reject(new Error(why))
  }
}
