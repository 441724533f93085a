import { Effect } from "effect"
import { UpstreamFailed } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { Leases } from "../tasks/Leases.ts"
import { HealthApi } from "./Api.ts"
import { Lifecycle } from "./Lifecycle.ts"

export const HealthHandlers = handlers(
  HealthApi,
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const leases = yield* Leases
    const ok = { status: "ok" } as const
    return {
      live: () => Effect.succeed(ok),
      ready: () =>
        lifecycle.isDraining()
          ? Effect.fail(new UpstreamFailed({ message: "The gateway is shutting down" }))
          : leases.oldestExpiredLeaseMs.pipe(
              Effect.map((ms) => ({ ...ok, oldest_expired_lease_seconds: Math.floor(ms / 1_000) })),
              Effect.tapErrorCause(Effect.logWarning),
              Effect.mapError(() => new UpstreamFailed({ message: "The database does not answer" }))
            )
    }
  })
)
