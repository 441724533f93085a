import { Command } from "@effect/cli"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import { Conflict, InvalidRequest } from "../contract/failures/Failure.ts"
import * as Database from "../sql/Database.ts"
import { compact, megabytes } from "../sql/sqlite/compact.ts"
import { lock } from "../sql/sqlite/Database.ts"
import { logger } from "./administer.ts"
import { help, json, print } from "./options.ts"
import { CommandSettings } from "./settings.ts"

const run = Effect.fn(function* (asJson: boolean) {
  const { databaseUrl } = yield* Settings
  const file = yield* Database.fileOf(Redacted.value(databaseUrl))
  if (Option.isNone(file)) {
    return yield* new InvalidRequest({
      param: null,
      message:
        "Postgres uses the space of deleted rows again by itself. To give it back to the disk, run VACUUM (FULL) usage, requests, audit in psql while no gateway serves: it locks the tables"
    })
  }
  const database = file.value
  // The lock keeps a gateway from starting meanwhile.
  yield* Effect.mapError(
    lock(database),
    () => new Conflict({ code: null, message: `a gateway serves from ${database}: stop it first` })
  )
  yield* Console.error(`gateway: compacting ${database} …`)
  const { after, before } = yield* compact(database)
  yield* print(
    asJson,
    { file: database, before, after },
    () => `${database}: ${megabytes(before)} before, ${megabytes(after)} now.`
  )
}, Effect.scoped)

export const compactCommand = Command.make("compact", { json }, ({ json }) =>
  Effect.provide(run(json), Layer.merge(CommandSettings, logger))
).pipe(
  Command.withDescription(
    help(
      "Give space of deleted rows back, while no gateway runs. For SQLite; a gateway uses that space again anyway.",
      "gateway db compact"
    )
  )
)
