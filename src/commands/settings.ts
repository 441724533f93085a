import { Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { inDatabase, StoredConfiguration } from "../config/source.ts"

/** Loaded where it is wanted: most starts have a file. */
const readStored = (url: string) =>
  Effect.flatMap(
    Effect.promise(() => import("../sql/postgres/storedDocument.ts")),
    ({ storedDocument }) => storedDocument(url)
  )

/** The settings of this process: of its environment, and the file or the database that it names. */
export const SettingsLive = Settings.from(process.env).pipe(
  Layer.provide(Layer.succeed(StoredConfiguration, readStored))
)

/** What the environment alone says, which names a Postgres. */
export const WithoutFile = Settings.from({ ...process.env, GATEWAY_CONFIG: inDatabase }).pipe(
  Layer.provide(Layer.succeed(StoredConfiguration, () => Effect.succeed(Option.none())))
)
