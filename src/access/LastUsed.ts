import { Effect } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import type { KeyId } from "../contract/callers/Caller.ts"
import { Commits } from "../sql/Commits.ts"
import { Keys } from "./store/Keys.ts"

/** Shortest interval between writes of a key, in ms. */
const everyMs = 60_000
/** Keys per statement. */
const atOnce = 500

/** Stores when keys were last used, to the minute, in batches that no request waits for. */
export class LastUsed extends Effect.Service<LastUsed>()("gateway/access/LastUsed", {
  dependencies: [Keys.Default, Commits.Default, Daemons.Default],
  scoped: Effect.gen(function* () {
    const keys = yield* Keys
    const commits = yield* Commits
    /** Last noted use by key, kept for a minute. */
    const noted = new Map<KeyId, number>()
    let unwritten = new Map<KeyId, number>()

    const note = (key: KeyId, nowMs: number): void => {
      const before = noted.get(key)
      if (before !== undefined && nowMs - before < everyMs) return
      noted.set(key, nowMs)
      unwritten.set(key, nowMs)
    }

    /** Requeues unwritten times, unless the key was used again. */
    const giveBack = (times: ReadonlyArray<readonly [KeyId, number]>): void => {
      unwritten = new Map([...times, ...unwritten])
    }

    const write = Effect.gen(function* () {
      if (unwritten.size === 0) return
      const all = [...unwritten]
      unwritten = new Map()
      for (let at = 0; at < all.length; at += atOnce) {
        yield* Effect.onError(commits.commit(keys.used(all.slice(at, at + atOnce))), () =>
          Effect.sync(() => giveBack(all.slice(at)))
        )
      }
      const oldestMs = Math.max(...all.map(([, ms]) => ms)) - everyMs
      for (const [key, ms] of noted) if (ms < oldestMs) noted.delete(key)
    })

    yield* daemon("lastUsed", Effect.as(write, Effect.sleep("5 seconds")), backoff)
    // Finalizers run in reverse order: this one before `Commits` ends.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.ignoreLogged(Effect.interruptible(write)), "2 seconds")
    )

    return { note } as const
  })
}) {}
