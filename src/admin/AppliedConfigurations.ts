import { Effect, Layer } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { Reload } from "../config/Reload.ts"
import { Settings } from "../config/Settings.ts"
import { Changes } from "../sql/Changes.ts"
import { Configurations } from "./store/Configurations.ts"

/**
 * Takes over what is applied to the database, as soon as this process hears of it, where the configuration is kept there;
 * where it is not, says at the start that there is one.
 */
export const AppliedConfigurationsLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isStored } = yield* Settings
    const { latest } = yield* Configurations
    if (!isStored) {
      const version = yield* latest
      if (version === 0) return
      yield* Effect.logWarning(
        `version ${version} of the configuration, which was applied to the database, does not count here: GATEWAY_CONFIG=postgres would take it`
      )
      return
    }
    const configuration = yield* Configuration
    const reload = yield* Reload
    const changes = yield* Changes
    let taken = configuration.current().version ?? 0
    const look = Effect.map(latest, (version) => {
      if (version === taken) return
      taken = version
      reload.want(`version ${version} was applied`)
    })
    yield* changes.listen(look)
    // What was applied since this process has read it.
    yield* look
  })
).pipe(Layer.provide([Configurations.Default, Changes.Default]))
