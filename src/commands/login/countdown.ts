import { Clock, Console, Effect } from "effect"

/** Tells on a terminal how long is left; elsewhere it says once that it waits. Ends when the time is up. */
export const countdown = (untilMs: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const leftMs = untilMs - (yield* Clock.currentTimeMillis)
    if (!process.stderr.isTTY || process.env["TERM"] === "dumb") {
      yield* Console.error(`Waiting for the browser, ${clock(leftMs)} at most.`)
      return yield* Effect.sleep(leftMs)
    }
    yield* Effect.ensuring(ticking(untilMs), write(""))
  })

const ticking = (untilMs: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const leftMs = untilMs - (yield* Clock.currentTimeMillis)
      if (leftMs <= 0) return
      yield* write(`Waiting for the browser… ${clock(leftMs)} left`)
      yield* Effect.sleep(Math.min(leftMs, 1_000))
    }
  })

/** Replaces the terminal's line. */
const write = (line: string) => Effect.sync(() => void process.stderr.write(`\r\u001B[K${line}`))

/** Minutes and seconds: `9:41`. */
const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
