import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { UpstreamFailed } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { HealthApi } from "./Api.ts"
import { Lifecycle } from "./Lifecycle.ts"

export const HealthHandlers = handlers(
  HealthApi,
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const sql = yield* SqlClient.SqlClient
    const ok = { status: "ok" } as const
    return {
      live: () => Effect.succeed(ok),
      ready: () =>
        lifecycle.isDraining()
          ? Effect.fail(new UpstreamFailed({ message: "The gateway is shutting down" }))
          : sql`SELECT 1`.pipe(
              Effect.as(ok),
              Effect.tapErrorCause(Effect.logWarning),
              Effect.mapError(() => new UpstreamFailed({ message: "The database does not answer" }))
            )
    }
  })
)
