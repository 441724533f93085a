import { Effect } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import type { KeyId } from "../contract/Caller.ts"
import { Commits } from "../sql/Commits.ts"
import { Keys } from "./store/Keys.ts"

/** A key's row is written at most this often, in ms. */
const everyMs = 60_000
/** Keys that one statement writes. */
const atOnce = 500

/** When each key was last used, written behind: to the minute, many keys in one commit, never waited for. */
export class LastUsed extends Effect.Service<LastUsed>()("gateway/access/LastUsed", {
  dependencies: [Keys.Default, Commits.Default, Daemons.Default],
  scoped: Effect.gen(function* () {
    const keys = yield* Keys
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

    /** What was not written is tried again, unless the key was used since. */
    const giveBack = (times: ReadonlyArray<readonly [KeyId, number]>): void => {
      unwritten = new Map([...times, ...unwritten])
    }

    const write = Effect.gen(function* () {
      if (unwritten.size === 0) return
      const all = [...unwritten]
      unwritten = new Map()
      for (let at = 0; at < all.length; at += atOnce) {
        yield* Effect.onError(commits.statement(keys.used(all.slice(at, at + atOnce))), () =>
          Effect.sync(() => giveBack(all.slice(at)))
        )
      }
      const oldestMs = Math.max(...all.map(([, ms]) => ms)) - everyMs
      for (const [key, ms] of noted) if (ms < oldestMs) noted.delete(key)
    })

    yield* daemon("lastUsed", Effect.as(write, Effect.sleep("5 seconds")), backoff)
    // Runs before `Commits` ends.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.ignoreLogged(Effect.interruptible(write)), "2 seconds")
    )

    return { note } as const
  })
}) {}
