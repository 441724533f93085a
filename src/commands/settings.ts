import { Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { inDatabase } from "../config/environment.ts"
import { StoredConfiguration } from "../config/source.ts"

/** Imported on demand: most starts read a file. */
const readStored = (url: string) =>
  Effect.flatMap(
    Effect.promise(() => import("../sql/postgres/storedDocument.ts")),
    ({ storedDocument }) => storedDocument(url)
  )

/** A copy: a serving process changes its own. */
const environment = { ...process.env }

const stored = Layer.succeed(StoredConfiguration, readStored)

/** Settings from the environment and from the file or database that it names. */
export const SettingsLive = Layer.provide(Settings.from(environment), stored)

/** The same for commands that ask no upstream, so need none of their secrets. */
export const CommandSettings = Layer.provide(Settings.from(environment, false), stored)

/** Settings from the environment alone, for a configuration in Postgres. */
export const WithoutFile = Settings.from({ ...environment, GATEWAY_CONFIG: inDatabase }).pipe(
  Layer.provide(Layer.succeed(StoredConfiguration, () => Effect.succeed(Option.none())))
)
