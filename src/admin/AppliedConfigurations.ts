import { Effect, Layer } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { Reload } from "../config/Reload.ts"
import { Settings } from "../config/Settings.ts"
import { Changes } from "../sql/Changes.ts"
import { Configurations } from "./store/Configurations.ts"

/**
 * With `GATEWAY_CONFIG=postgres`: reloads the configuration whenever a version is applied to the database. Otherwise:
 * warns at the start that an applied version is ignored.
 */
export const AppliedConfigurationsLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isStored } = yield* Settings
    const { latest } = yield* Configurations
    if (!isStored) {
      const version = yield* latest
      if (version === 0) return
      yield* Effect.logWarning(
        `version ${version} of the configuration was applied to the database and is ignored here; set GATEWAY_CONFIG=postgres to use it`
      )
      return
    }
    const configuration = yield* Configuration
    const reload = yield* Reload
    const changes = yield* Changes
    let current = configuration.current().version ?? 0
    const reloadLatest = Effect.map(latest, (version) => {
      if (version === current) return
      current = version
      reload.want(`version ${version} was applied`)
    })
    yield* changes.listen(reloadLatest)
    // A version may have been applied since this process read the configuration.
    yield* reloadLatest
  })
).pipe(Layer.provide([Configurations.Default, Changes.Default]))
