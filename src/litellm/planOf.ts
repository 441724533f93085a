import { Effect } from "effect"
import { readDocument } from "../config/document.ts"
import { GatewayFile } from "../config/GatewayFile.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isObject, textAt } from "../contract/json/json.ts"
import { accessOf } from "./accessOf.ts"
import { gatewayYaml } from "./gatewayYaml.ts"
import { modelsOf } from "./modelsOf.ts"
import { otherSettings } from "./otherSettings.ts"
import type { Note, Plan, PlannedModel } from "./Plan.ts"
import { isFreeVariable, namedVariable, Secrets } from "./Secrets.ts"
import { settingsOf } from "./settingsOf.ts"
import type { Rows, UnreadableSource } from "./Source.ts"

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly nowMs: number
}

/** All that becomes of LiteLLM's file and database, and what doesn't. */
export const planOf = (
  file: JsonObject,
  rows: Rows,
  { env, nowMs }: Surroundings
): Effect.Effect<Plan, UnreadableSource> =>
  Effect.flatMap(settingsOf(file, rows, env), (settings) => {
    const secrets = new Secrets()
    const models = modelsOf(settings, secrets)
    const variables = Object.entries(settings.variables).flatMap(([name, value]): ReadonlyArray<Note> => {
      const at = `environment_variables.${name}`
      if (typeof value === "string" && namedVariable(value) !== undefined) return []
      if (!isFreeVariable(name)) return [{ at, why: "is no name of a variable, or of one of the gateway's own" }]
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
        return [{ at, why: "is no text" }]
      secrets.keep(name, String(value))
      return []
    })
    const masterKey = textAt(settings.general, "master_key")
    const named = masterKey === undefined ? undefined : namedVariable(masterKey)
    const clear = named === undefined ? masterKey : env[named]
    if (clear !== undefined) secrets.keep("GATEWAY_ADMIN_KEY", clear)
    const clock = { nowMs, zone: textAt(settings.litellm, "timezone") ?? "UTC" }
    const masterHash = clear === undefined ? undefined : new Bun.CryptoHasher("sha256").update(clear).digest("hex")
    const access = accessOf(rows, { clock, groups: models.groups, masterHash, settings })
    const configuration = gatewayYaml(models)
    const lines = [...secrets.values].flatMap(([name, value]) => (/[\r\n]/.test(value) ? [name] : []))
    const plan: Plan = {
      configuration,
      secrets: new Map([...secrets.values].filter(([name]) => !lines.includes(name))),
      models: [...models.models].map(([name, entry]) => shown(name, entry)),
      accounts: access.accounts,
      keys: access.keys,
      notes: onceEach([
        ...models.notes,
        ...access.notes,
        ...variables,
        ...lines.map((name) => ({ at: name, why: "has several lines, and gateway.env has lines: set it otherwise" })),
        ...otherSettings(settings),
        ...ofMasterKey(masterKey)
      ])
    }
    return Effect.map(ofConfiguration(configuration), (notes) => ({ ...plan, notes: [...plan.notes, ...notes] }))
  })

/** The complaint of the gateway's own reader about the file that it would get: LiteLLM takes values that it does not. */
const ofConfiguration = (text: string): Effect.Effect<ReadonlyArray<Note>> =>
  readDocument("gateway.yaml", text, { env: {}, needsSecrets: false, commands: "skip" }, GatewayFile).pipe(
    Effect.as([]),
    Effect.catchAll(({ message }) =>
      Effect.succeed([{ at: "gateway.yaml", why: `${message}: to be mended by hand, then \`gateway check\`` }])
    )
  )

const shown = (name: string, entry: JsonObject): PlannedModel => {
  const alias = textAt(entry, "alias")
  const routes: ReadonlyArray<unknown> = Array.isArray(entry["routes"]) ? entry["routes"] : []
  return {
    name,
    routes:
      alias !== undefined
        ? [`as ${alias}`]
        : routes
            .filter(isObject)
            .map((route) => `${textAt(route, "upstream") ?? ""}: ${textAt(route, "model") ?? name}`)
  }
}

const ofMasterKey = (masterKey: string | undefined): ReadonlyArray<Note> =>
  masterKey === undefined
    ? []
    : [{ at: "general_settings.master_key", why: "GATEWAY_ADMIN_KEY: it opens the admin API, and no model" }]

/** The same of the same place once. */
const onceEach = (notes: ReadonlyArray<Note>): ReadonlyArray<Note> => [
  ...new Map(notes.map((note) => [`${note.at} ${note.why}`, note])).values()
]
