import { Effect } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import { listAt, objectAt, textAt } from "../contract/json/json.ts"
import { objectOf } from "./columns.ts"
import { mayBeSealed, openSealed } from "./sealed.ts"
import { namedVariable } from "./Secrets.ts"
import { UnreadableSource } from "./Source.ts"
import type { Deployment, Rows, Settings } from "./Source.ts"

/** Sections of `config.yaml` that are read. */
const read = new Set([
  "model_list",
  "router_settings",
  "litellm_settings",
  "general_settings",
  "environment_variables",
  "credential_list"
])

/** Sections of the database's `LiteLLM_Config`, which come before the file's. */
const sections = ["router_settings", "litellm_settings", "general_settings", "environment_variables"] as const

/**
 * LiteLLM's settings: its file with what its database has, opened with `LITELLM_SALT_KEY` or the master key.
 *
 * @param env where `os.environ/NAME` of the master key is looked up
 */
export const settingsOf = (
  file: JsonObject,
  rows: Rows,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, UnreadableSource> =>
  Effect.gen(function* () {
    const stored = new Map(rows.config.map((row) => [textAt(row, "param_name"), objectAt(row, "param_value") ?? {}]))
    const merged = (section: (typeof sections)[number]) => ({ ...objectAt(file, section), ...stored.get(section) })
    const general = merged("general_settings")
    const masterKey = valueOf(textAt(general, "master_key"), env) ?? env["LITELLM_MASTER_KEY"]
    const open = opener(env["LITELLM_SALT_KEY"] ?? masterKey)

    const opened = (at: string, value: unknown, mustOpen = false): Effect.Effect<unknown, UnreadableSource> => {
      if (typeof value !== "string") return Effect.succeed(value)
      const text = open(value)
      if (text !== undefined || !mustOpen || !mayBeSealed(value)) return Effect.succeed(text ?? value)
      return new UnreadableSource({
        message:
          open === noKey
            ? `${at} is sealed: set LITELLM_SALT_KEY (or LITELLM_MASTER_KEY, if LiteLLM has no salt key) to LiteLLM's`
            : `${at} can't be opened: LITELLM_SALT_KEY (or the master key, if LiteLLM has no salt key) is another one than it was sealed with`
      })
    }
    const allOpened = (at: string, values: JsonObject, mustOpen: string | undefined) =>
      Effect.map(
        Effect.forEach(Object.entries(values), ([name, value]) =>
          Effect.map(
            opened(`${at}.${name}`, value, mustOpen === undefined || mustOpen === name),
            (value) => [name, value] as const
          )
        ),
        (all): JsonObject => Object.fromEntries(all)
      )

    const fromDatabase = yield* Effect.forEach(rows.models, (row) => {
      const at = `LiteLLM_ProxyModelTable "${textAt(row, "model_name") ?? ""}"`
      return Effect.map(
        allOpened(`${at}: litellm_params`, objectOf(row["litellm_params"]), "model"),
        (params): Deployment => ({
          at,
          name: textAt(row, "model_name") ?? "",
          params: row["blocked"] === true ? { ...params, blocked: true } : params,
          info: objectOf(row["model_info"])
        })
      )
    })
    const storedCredentials = yield* Effect.forEach(rows.credentials, (row) => {
      const name = textAt(row, "credential_name") ?? ""
      return Effect.map(
        allOpened(`LiteLLM_CredentialsTable "${name}"`, objectOf(row["credential_values"]), "api_key"),
        (values) => [name, values] as const
      )
    })
    const storedVariables = yield* allOpened(
      "LiteLLM_Config: environment_variables",
      stored.get("environment_variables") ?? {},
      undefined
    )
    return {
      models: [...listAt(file, "model_list").map(deployment), ...fromDatabase],
      router: merged("router_settings"),
      litellm: merged("litellm_settings"),
      general: masterKey === undefined ? general : { ...general, master_key: masterKey },
      variables: { ...objectAt(file, "environment_variables"), ...storedVariables },
      others: Object.keys(file).filter((name) => !read.has(name)),
      credentials: new Map([...listAt(file, "credential_list").map(credential), ...storedCredentials])
    }
  })

const noKey = () => undefined

const opener = (key: string | undefined): ((text: string) => string | undefined) =>
  key === undefined || key === "" ? noKey : (text) => openSealed(text, key)

/** A value, or that of the variable that it names. */
const valueOf = (value: string | undefined, env: Readonly<Record<string, string | undefined>>) => {
  const named = value === undefined ? undefined : namedVariable(value)
  return named === undefined ? value : env[named]
}

/** Of an entry that is not an object, a deployment without a name. */
const deployment = (entry: unknown, index: number): Deployment => ({
  at: `model_list[${index}]`,
  name: textAt(entry, "model_name") ?? "",
  params: objectAt(entry, "litellm_params") ?? {},
  info: objectAt(entry, "model_info") ?? {}
})

const credential = (entry: unknown): readonly [string, JsonObject] => [
  textAt(entry, "credential_name") ?? "",
  objectAt(entry, "credential_values") ?? {}
]
