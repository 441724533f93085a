import { SqlClient } from "@effect/sql"
import { Effect, Schedule } from "effect"
import type { KeyId } from "../contract/Caller.ts"
import { Commits } from "../sql/Commits.ts"

/** A key's row is written at most this often, in ms. */
const everyMs = 60_000
/** Keys that one statement writes. */
const atOnce = 500

/** When each key was last used, written behind: to the minute, many keys in one commit, never waited for. */
export class LastUsed extends Effect.Service<LastUsed>()("gateway/access/LastUsed", {
  dependencies: [Commits.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    /** When each key's use was noted, for a minute. */
    const noted = new Map<KeyId, number>()
    let unwritten = new Map<KeyId, number>()

    const note = (key: KeyId, nowMs: number): void => {
      const before = noted.get(key)
      if (before !== undefined && nowMs - before < everyMs) return
      noted.set(key, nowMs)
      unwritten.set(key, nowMs)
    }

    const write = Effect.gen(function* () {
      if (unwritten.size === 0) return
      const all = [...unwritten]
      unwritten = new Map()
      for (let at = 0; at < all.length; at += atOnce) {
        const times = JSON.stringify(Object.fromEntries(all.slice(at, at + atOnce)))
        yield* commits.statement(sql`UPDATE keys SET last_used_at = used.value
          FROM json_each(${times}) AS used WHERE keys.id = used.key`)
      }
      const oldestMs = Math.max(...all.map(([, ms]) => ms)) - everyMs
      for (const [key, ms] of noted) if (ms < oldestMs) noted.delete(key)
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("when keys were last used is not written", cause)))

    yield* write.pipe(
      Effect.repeat(Schedule.spaced("5 seconds")),
      Effect.annotateLogs({ fiber: "lastUsed" }),
      Effect.forkScoped
    )
    // Runs before `Commits` ends.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(write), "2 seconds"))

    return { note } as const
  })
}) {}
