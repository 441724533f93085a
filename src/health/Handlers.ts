import { Effect, Layer } from "effect"
import { UpstreamFailed } from "../contract/failures/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { HealthApi } from "./Api.ts"
import { Daemons } from "../flow/Daemons.ts"
import { MetricsPage } from "./MetricsPage.ts"
import { DatabaseHealth } from "../sql/DatabaseHealth.ts"
import { KeptFiles } from "../files/KeptFiles.ts"
import { Lifecycle } from "../flow/Lifecycle.ts"
import { Limits } from "../limits/Limits.ts"

export const HealthHandlers = handlers(
  HealthApi,
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const tasks = yield* TaskStore
    const daemons = yield* Daemons
    const databaseHealth = yield* DatabaseHealth
    const limits = yield* Limits
    const keptFiles = yield* KeptFiles
    const ok = { status: "ok" } as const

    const databaseAnswers = tasks.oldestExpiredLeaseMs.pipe(
      Effect.map((ms) => ({
        ...ok,
        oldest_expired_lease_seconds: Math.floor(ms / 1_000),
        limits: limits.countedWhere(),
        files: keptFiles.isAway() ? ("away" as const) : ok.status
      })),
      Effect.tapErrorCause(Effect.logWarning),
      Effect.mapError(() => new UpstreamFailed({ message: "The database does not answer" }))
    )
    const writesLast = Effect.suspend(() => {
      const trouble = databaseHealth.trouble()
      return trouble === undefined ? Effect.void : new UpstreamFailed({ message: `Not ready: ${trouble}` })
    })
    const daemonsRun = Effect.filterOrFail(
      daemons.failing,
      (failing) => failing.length === 0,
      (failing) =>
        new UpstreamFailed({
          message: `Not ready: failing in the background: ${failing.map(({ name }) => name).join(", ")}`
        })
    )
    const isUp = Effect.suspend(() =>
      lifecycle.isUnready() ? new UpstreamFailed({ message: "The gateway is shutting down" }) : Effect.void
    )
    return {
      live: () => Effect.succeed(ok),
      ready: () => Effect.all([isUp, writesLast, daemonsRun], { discard: true }).pipe(Effect.zipRight(databaseAnswers))
    }
  })
)

/** Serves health and metrics. */
export const HealthLive = Layer.merge(HealthHandlers, MetricsPage.Default)
