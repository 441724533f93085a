import { Effect } from "effect"
import { Configuration } from "../../config/Configuration.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { Limits } from "../../limits/Limits.ts"
import { Troubles } from "../store/Troubles.ts"
import { problem } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

/** Background jobs that fail, and limits that let too much through because each process counts its own. */
export const makeProcessProblems = Effect.gen(function* () {
  const troubles = yield* Troubles
  const daemons = yield* Daemons
  const limits = yield* Limits
  const configuration = yield* Configuration

  const background = Effect.map(daemons.failing, (failing) =>
    failing.map(({ failingSince, name }) =>
      problem({
        level: "error",
        what: "daemon",
        id: name,
        message: `${name}: this background job fails`,
        action: "Read why in the log: `gateway logs --event daemon.failed`.",
        page: null,
        sinceMs: failingSince
      })
    )
  )

  const unread = Effect.sync(() => {
    const trouble = configuration.trouble()
    if (trouble === undefined) return []
    return [
      problem({
        what: "configuration",
        id: null,
        message: `the configuration is the one before: ${trouble.message}`,
        action: "Mend what is named; `gateway check --live` tells whether all is well.",
        page: null,
        sinceMs: trouble.sinceMs
      })
    ]
  })

  const hasLimits = Effect.suspend(() =>
    Object.values(configuration.current().value.upstreams ?? {}).some((entry) => entry.max_concurrency !== undefined)
      ? Effect.succeed(true)
      : troubles.hasLimits
  )

  const countedApart = Effect.gen(function* (): Effect.fn.Return<
    ReadonlyArray<Problem>,
    Effect.Effect.Error<typeof troubles.hasLimits>
  > {
    const where = limits.countedWhere()
    if (where === "redis") return []
    const processes = yield* troubles.processes
    if (processes < 2 || !(yield* hasLimits)) return []
    return [
      problem({
        what: "limits",
        id: null,
        message: `each of ${processes} processes counts limits on its own, so up to ${processes} times as much may pass`,
        action:
          where === "process"
            ? "Let a Redis count for all of them: set `redis.url`."
            : "Redis is away: see that it runs, with a sentinel if it has some, and that the gateway reaches it.",
        page: null
      })
    ]
  })

  return Effect.map(Effect.all([background, unread, countedApart]), (found) => found.flat())
})
