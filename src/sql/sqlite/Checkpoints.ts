import { SqlClient } from "@effect/sql"
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import type { Done, Order } from "./checkpointThread.ts"
import { databaseFile } from "./heldFile.ts"

/** After so many commits, mostly of 5 to 30 pages each. */
const every = 1_000

/** Brings what is in the log to the database's file. */
export interface Checkpoints {
  /** There has been a commit. */
  readonly committed: () => void
}

const nothing: Checkpoints = { committed: () => {} }

/**
 * Checkpoints on a thread with a connection of its own. A checkpoint copies pages and waits for the disk twice: on the one
 * thread that there is everybody stood still for 4 to 5 ms, twice a second under load. While commits go on that thread
 * never has all of them, and only a log of which all is copied begins anew: what is left, of the last milliseconds, is
 * copied here, in 2. Where it fails, the connection's own checkpoint comes at a longer log (`Database.ts`).
 */
export const makeCheckpoints: Effect.Effect<Checkpoints, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const file = yield* databaseFile
    if (file === "") return nothing
    const rest = Effect.ignore(sql`PRAGMA wal_checkpoint(PASSIVE)`)

    let commits = 0
    let thread: Thread | undefined
    let underWay: Promise<void> | undefined
    const checkpoint = async () => {
      // Most processes never write so much, and do without.
      const done = await (thread ??= new Thread()).ask({ file })
      underWay = undefined
      // One that broke is begun anew the next time; what could not be done, with the disk full say, is tried again then.
      if (done === undefined) thread = undefined
      else if ("done" in done) void Runtime.runFork(runtime)(rest)
    }
    const committed = () => {
      if (++commits < every || underWay !== undefined) return
      commits = 0
      underWay = checkpoint()
    }

    // Whoever closes the database last removes its log: the connection that is everybody's, which is closed after this.
    const closed = async () => {
      commits = -Infinity
      await underWay
      await thread?.ask({ close: true })
    }
    yield* Effect.addFinalizer(() =>
      Effect.promise(closed).pipe(
        Effect.timeoutOption("2 seconds"),
        Effect.zipRight(Effect.sync(() => thread?.terminate()))
      )
    )
    return { committed }
  }
)

/** One order at a time. */
class Thread {
  readonly #worker = new Worker(source())
  #answered: ((done: Done | undefined) => void) | undefined

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Done>) => this.#answer(data))
    this.#worker.addEventListener("error", () => {
      this.terminate()
      this.#answer(undefined)
    })
  }

  /** What became of it; undefined where the thread broke. */
  ask(order: Order): Promise<Done | undefined> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#worker.postMessage(order, [])
    })
  }

  terminate(): void {
    this.#worker.terminate()
  }

  #answer(done: Done | undefined): void {
    this.#answered?.(done)
    this.#answered = undefined
  }
}

/** As the renderer's thread (`sandbox/video/Renderer.ts`): in a compiled binary an entry point of its own. */
const source = (): URL =>
  Bun.main.startsWith("/$bunfs/")
    ? new URL("./sql/sqlite/checkpointThread.ts", import.meta.url)
    : new URL(import.meta.url.endsWith(".js") ? "./checkpointThread.js" : "./checkpointThread.ts", import.meta.url)
