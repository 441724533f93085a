import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import { daemon } from "../flow/daemon.ts"
import type { Daemons } from "../flow/Daemons.ts"
import { descriptors as ofProcess } from "../flow/Descriptors.ts"
import { backoff } from "../flow/schedules.ts"
import type { Listener } from "./Listener.ts"

const lookEvery = "100 millis"
/** A warning is logged once in so many ms. */
const warnEvery = 60_000

type Shed = Pick<Listener, "closeIdle" | "isPaused" | "pause" | "resume">

/**
 * Keeps descriptors free for the work that is under way. Anyone can open connections and send nothing, and no key is
 * known that they could count for: while descriptors are scarce, idle connections are closed; while they still run out,
 * no new ones are accepted. Silent ones end by the idle timeout.
 */
export const shedConnections = (
  listeners: ReadonlyArray<Shed>,
  descriptors = ofProcess
): Effect.Effect<void, never, Scope.Scope | Daemons> =>
  Effect.suspend(() => {
    let warnedAt = -Infinity
    const look = Effect.suspend(() => {
      if (!descriptors.isScarce()) return Effect.sync(() => listeners.forEach((listener) => listener.resume()))
      const isFlooded = descriptors.isFlooded()
      for (const listener of listeners) {
        listener.closeIdle()
        if (isFlooded) listener.pause()
      }
      const now = performance.now()
      if (now - warnedAt < warnEvery) return Effect.void
      warnedAt = now
      return Effect.annotateLogs(
        Effect.logWarning(
          listeners.some(({ isPaused }) => isPaused)
            ? "file descriptors run out: no new connections are accepted until some are free"
            : "file descriptors are scarce: idle connections are closed, and new requests are refused"
        ),
        { event: "descriptors.scarce", limit: descriptors.limit }
      )
    })
    // Real time, also under `TestClock`, because connections are real.
    return Effect.withClock(daemon("descriptors", Effect.as(look, Effect.sleep(lookEvery)), backoff), Clock.make())
  })
