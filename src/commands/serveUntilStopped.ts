import { Effect, Option, Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import type { GatewaySettings } from "../config/Settings.ts"
import { workerLink } from "../cluster/workers/workerLink.ts"
import type { Link } from "../cluster/workers/workerLink.ts"
import { LogsLive } from "./logs.ts"
import { SettingsLive } from "./settings.ts"

/** Serves in this process. Imported on demand: a supervisor does not need it. */
const serveHere = (link: Link | undefined) =>
  Effect.flatMap(
    Effect.promise(() => import("./serveGateway.ts")),
    ({ serveGateway }) => serveGateway(link)
  )

const serveByWorkers = (workers: number) =>
  Effect.flatMap(
    Effect.promise(() => import("./serveByWorkers.ts")),
    ({ serveByWorkers }) => serveByWorkers(workers)
  )

/** The number of processes: always one with SQLite. */
const workersOf = (settings: GatewaySettings, given: Option.Option<number>) => {
  const workers = Option.getOrElse(given, () => settings.server.workers)
  if (workers === 1 || !Redacted.value(settings.databaseUrl).startsWith("sqlite:")) return Effect.succeed(workers)
  return Effect.as(Effect.logWarning(`one process serves instead of ${workers}: several need Postgres`), 1).pipe(
    Effect.provide(LogsLive)
  )
}

/**
 * Serves until a signal stops it.
 * @param given the number of processes from the command line
 */
export const serveUntilStopped = (given: Option.Option<number>) =>
  Effect.gen(function* () {
    // Its handler comes later and goes earlier: by default, SIGHUP ends a process that starts or stops.
    process.on("SIGHUP", () => {})
    const link = workerLink()
    const workers = link === undefined ? yield* workersOf(yield* Settings, given) : 1
    if (workers > 1) return yield* serveByWorkers(workers)
    return yield* Effect.ensuring(
      serveHere(link),
      Effect.sync(() => link?.end())
    )
  }).pipe(Effect.provide(SettingsLive))
