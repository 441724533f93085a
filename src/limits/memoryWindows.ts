import type { Clock } from "effect"
import { Effect } from "effect"
import { windowMs } from "./WindowCounts.ts"
import type { CountsNow } from "./WindowCounts.ts"

/** Counters in this process that reset each minute. */
export const memoryWindows = (clock: Pick<Clock.Clock, "unsafeCurrentTimeMillis">): CountsNow => {
  let current = -1
  const counts = new Map<string, number>()
  const roll = (nowMs: number) => {
    const window = Math.floor(nowMs / windowMs)
    if (window === current) return
    current = window
    counts.clear()
  }
  const takeNow = (key: string, tokens: number, limit: number) => {
    const nowMs = clock.unsafeCurrentTimeMillis()
    roll(nowMs)
    const count = (counts.get(key) ?? 0) + tokens
    if (count <= limit) counts.set(key, count)
    return { count, leftMs: windowMs - (nowMs % windowMs) }
  }
  return {
    take: (key, tokens, limit) => Effect.sync(() => takeNow(key, tokens, limit)),
    takeNow,
    correct: (key, tokens, takenAtMs) => {
      roll(clock.unsafeCurrentTimeMillis())
      if (Math.floor(takenAtMs / windowMs) === current) counts.set(key, (counts.get(key) ?? 0) + tokens)
    },
    taken: (key) => {
      roll(clock.unsafeCurrentTimeMillis())
      return counts.get(key) ?? 0
    },
    keys: () => {
      roll(clock.unsafeCurrentTimeMillis())
      return counts.keys()
    },
    where: () => "process"
  }
}
