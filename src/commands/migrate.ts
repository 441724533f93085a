import { existsSync } from "node:fs"
import { Command, Options } from "@effect/cli"
import { Console, Data, Effect, Layer, Option } from "effect"
import { Settings, visitedUrl } from "../config/Settings.ts"
import * as Database from "../sql/Database.ts"
import { whyNotMigrated } from "../sql/migrations.ts"
import { help, json, print } from "./options.ts"
import { logger } from "./administer.ts"
import { CommandSettings } from "./settings.ts"
import { leaf } from "./frame/leaf.ts"

const check = Options.boolean("check").pipe(
  Options.withDescription("Change nothing; exit with 1 if the schema is another.")
)

/** The database has another schema, or does not exist. */
class NotMigrated extends Data.TaggedError("NotMigrated")<{ readonly message: string }> {}

const migrateDatabase = Effect.fn(function* (isCheck: boolean, asJson: boolean) {
  const url = visitedUrl(yield* Settings)
  const { known, place, stored } = yield* Database.schemasOf(url)
  const record = (schema: number) => ({ database: place, schema, latest: known })
  if (isCheck) {
    if (stored === known) return yield* print(asJson, record(stored), () => current(place, known))
    if (asJson) yield* Console.log(JSON.stringify(record(stored), null, 2))
    const refused = whyNotMigrated(stored) ?? `has schema ${stored}; this version brings it to schema ${known}`
    return yield* new NotMigrated({ message: `database ${place} ${refused}` })
  }
  const file = yield* Database.fileOf(url)
  if (Option.isSome(file) && !existsSync(file.value)) {
    return yield* new NotMigrated({ message: `there is no database ${file.value}; the first start creates it` })
  }
  yield* Effect.scoped(Layer.build(Database.layer({ url, exclusive: false })))
  yield* print(asJson, record(known), () => current(place, known))
})

const current = (place: string, schema: number) => `database ${place} has schema ${schema}, which is this version's`

const migrate = Command.make("migrate", { check, json }, ({ check, json }) =>
  Effect.provide(migrateDatabase(check, json), Layer.merge(CommandSettings, logger))
).pipe(
  Command.withDescription(
    help(
      "Migrate the database to this version's schema, while no gateway serves from it. A start does it automatically.",
      "gateway migrate --check"
    )
  )
)

export const migrateCommand = leaf(migrate)
