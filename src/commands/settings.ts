import { Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { inDatabase } from "../config/environment.ts"
import type { Environment } from "../config/secretVariable.ts"
import { StoredConfiguration } from "../config/source.ts"
import { CommandVariables } from "./CommandVariables.ts"

/** Imported on demand: most starts read a file. */
const readStored = (url: string) =>
  Effect.flatMap(
    Effect.promise(() => import("../sql/postgres/storedDocument.ts")),
    ({ storedDocument }) => storedDocument(url)
  )

const settingsOf = <E, R>(make: (variables: Environment) => Layer.Layer<Settings, E, R>) =>
  Layer.unwrapEffect(Effect.map(CommandVariables, make))

const stored = Layer.succeed(StoredConfiguration, readStored)

/** Settings from the environment and from the file or database that it names. */
export const SettingsLive = settingsOf((variables) => Layer.provide(Settings.from(variables), stored))

/** The same, without what commands of the file print. */
export const UnaskedSettings = settingsOf((variables) => Layer.provide(Settings.from(variables, true, "skip"), stored))

/** The same for commands that ask no upstream, so need none of their secrets. */
export const CommandSettings = settingsOf((variables) => Layer.provide(Settings.from(variables, false), stored))

/** The same without what commands of the file print: what is known where one of them fails. */
export const KnownSettings = settingsOf((variables) => Layer.provide(Settings.from(variables, false, "skip"), stored))

/** Settings from the environment alone, for a configuration in Postgres. */
export const WithoutFile = settingsOf((variables) => Settings.from({ ...variables, GATEWAY_CONFIG: inDatabase })).pipe(
  Layer.provide(Layer.succeed(StoredConfiguration, () => Effect.succeed(Option.none())))
)
