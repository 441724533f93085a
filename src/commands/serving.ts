import { Effect, Option, Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import type { GatewaySettings } from "../config/Settings.ts"
import { linked } from "../cluster/workers/linked.ts"
import type { Link } from "../cluster/workers/linked.ts"
import { LogsLive } from "./logs.ts"
import { SettingsLive } from "./settings.ts"

/** Serves by itself. Loaded when it is wanted: a supervisor would wait for it for nothing. */
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

/** How many processes are to serve: with SQLite one, whatever is asked for. */
const workersOf = (settings: GatewaySettings, asked: Option.Option<number>) => {
  const workers = Option.getOrElse(asked, () => settings.server.workers)
  if (workers === 1 || !Redacted.value(settings.databaseUrl).startsWith("sqlite:")) return Effect.succeed(workers)
  return Effect.as(
    Effect.logWarning(`one process serves, and not ${workers}: with SQLite there is only one; several take Postgres`),
    1
  ).pipe(Effect.provide(LogsLive))
}

/**
 * Runs until it is told to stop.
 * @param asked how many processes serve, where the command line says so
 */
export const serving = (asked: Option.Option<number>) =>
  Effect.gen(function* () {
    const link = linked()
    const workers = link === undefined ? yield* workersOf(yield* Settings, asked) : 1
    if (workers > 1) return yield* serveByWorkers(workers)
    return yield* Effect.ensuring(
      serveHere(link),
      Effect.sync(() => link?.end())
    )
  }).pipe(Effect.provide(SettingsLive))
