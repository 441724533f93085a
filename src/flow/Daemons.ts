import { Clock, Effect } from "effect"
import type { Scope } from "effect"

/** A daemon that has failed for this long makes the gateway unready. */
const unreadyAfterMs = 5_000

/** The state of one daemon. */
export interface Standing {
  readonly name: string
  /** The number of failures since the start. */
  failures: number
  /** Since when every pass has failed, in Unix ms; undefined while passes succeed. */
  failingSince: number | undefined
}

/** The states of a gateway's daemons. */
export class Daemons extends Effect.Service<Daemons>()("gateway/flow/Daemons", {
  sync: () => {
    const all = new Set<Standing>()
    return {
      /** Registers a daemon for as long as the scope lives. */
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
      /** The daemons that have failed for five seconds. */
      failing: Effect.map(Clock.currentTimeMillis, (nowMs) =>
        [...all].filter(({ failingSince = nowMs }) => nowMs - failingSince >= unreadyAfterMs)
      )
    } as const
  }
}) {}
