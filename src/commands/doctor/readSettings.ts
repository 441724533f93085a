import { Effect, Option } from "effect"
import type { Layer } from "effect"
import { modelWarnings } from "../../catalogue/modelWarnings.ts"
import { entriesOf } from "../../catalogue/Catalogue.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { servedBy } from "../../admin/readThrough.ts"
import { Settings } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { signInProblem } from "../../config/signInProblem.ts"
import { parseAllowed } from "../../guard/addresses.ts"
import { ownModels } from "../ownModels.ts"
import { KnownSettings, SettingsLive } from "../settings.ts"
import { ok, problem, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

const check = "configuration"

/** The settings, as far as they can be read. */
export interface ReadSettings {
  readonly findings: ReadonlyArray<Finding>
  /** Undefined if not even the database's address is known. */
  readonly settings: GatewaySettings | undefined
  /** Undefined if no upstream can be asked. */
  readonly models: ReadonlyMap<string, Model> | undefined
}

/** Reads and validates the settings as a start does. */
export const readSettings: Effect.Effect<ReadSettings> = Effect.gen(function* () {
  const whole = yield* settingsBy(SettingsLive)
  if ("failed" in whole) {
    const findings = [wrong(whole.failed)]
    const some = yield* settingsBy(KnownSettings)
    return { findings, settings: "failed" in some ? undefined : some.settings, models: undefined }
  }
  const { settings } = whole
  const { file, filePath, isStored, server, warnings } = settings
  const models = yield* Effect.either(
    Effect.gen(function* () {
      yield* parseAllowed(server.trustedProxies, "server.trusted_proxies")
      const refused = signInProblem(file, server)
      if (refused !== undefined) return yield* refused
      return yield* servedBy(file, ownModels)
    })
  )
  if (models._tag === "Left") return { findings: [wrong(models.left.message)], settings, models: undefined }
  const source = isStored
    ? `version ${file.version ?? 0} of the database`
    : Option.getOrElse(filePath, () => "no gateway.yaml: the sandbox, and providers by the environment")
  const names = entriesOf(models.right).map(({ id }) => id)
  const warned = [...warnings, ...modelWarnings(file.value, names)]
  return {
    findings: [ok(check, source), ...warned.map((line) => warning(check, line, null))],
    settings,
    models: models.right
  }
})

type SettingsResult = { readonly settings: GatewaySettings } | { readonly failed: string }

const settingsBy = <E extends { readonly message: string }>(
  layer: Layer.Layer<Settings, E>
): Effect.Effect<SettingsResult> =>
  Effect.provide(Settings, layer).pipe(
    Effect.map((settings): SettingsResult => ({ settings })),
    Effect.catchAll(({ message }) => Effect.succeed<SettingsResult>({ failed: message })),
    Effect.disconnect,
    Effect.timeoutTo({
      duration: "35 seconds",
      onSuccess: (given) => given,
      onTimeout: (): SettingsResult => ({ failed: "the settings could not be read within 35 seconds" })
    })
  )

const wrong = (message: string): Finding => {
  const [, variable] = /the environment has no variable (\w+)/.exec(message) ?? []
  if (variable !== undefined) {
    return problem(check, message, `Set ${variable} in the gateway's environment, or in gateway.env beside the file.`)
  }
  const [, file, line] = /^(.+?):(\d+): /.exec(message) ?? []
  if (file !== undefined) {
    return problem(check, message, `Change line ${line} of ${file}; \`gateway check\` tells whether it is in order.`)
  }
  return message.startsWith("database ")
    ? problem(check, message, "Check GATEWAY_DATABASE_URL: the configuration is in that database.")
    : problem(check, message, "Change the setting that is named.")
}
