import { Clock, Effect } from "effect"
import type { Scope } from "effect"

/** A daemon that has failed for this long makes the gateway unready. */
const unreadyAfterMs = 5_000

/** How one daemon stands. */
export interface Standing {
  readonly name: string
  /** Failures since the start. */
  failures: number
  /** Since when each of its passes has failed, Unix ms; undefined while they succeed. */
  failingSince: number | undefined
}

/** How the daemons of one gateway stand. */
export class Daemons extends Effect.Service<Daemons>()("gateway/flow/Daemons", {
  sync: () => {
    const all = new Set<Standing>()
    return {
      /** A new daemon's place, for as long as the scope lives. */
      enter: (name: string): Effect.Effect<Standing, never, Scope.Scope> =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const standing: Standing = { name, failures: 0, failingSince: undefined }
            all.add(standing)
            return standing
          }),
          (standing) => Effect.sync(() => void all.delete(standing))
        ),
      all: (): Iterable<Readonly<Standing>> => all,
      /** Names of those that have failed for five seconds. */
      failing: Effect.map(Clock.currentTimeMillis, (nowMs) =>
        [...all].flatMap(({ failingSince = nowMs, name }) => (nowMs - failingSince >= unreadyAfterMs ? [name] : []))
      )
    } as const
  }
}) {}
