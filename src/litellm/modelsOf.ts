import type { JsonObject } from "../contract/fields.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../contract/json/json.ts"
import type { Note } from "./Plan.ts"
import { routeOf } from "./routeOf.ts"
import type { PlannedRoute } from "./routeOf.ts"
import { unwritable } from "./Secrets.ts"
import type { Secrets } from "./Secrets.ts"
import type { Deployment, Settings } from "./Source.ts"

/** `upstreams` and `models` of `gateway.yaml`. */
export interface PlannedModels {
  readonly upstreams: ReadonlyMap<string, JsonObject>
  readonly models: ReadonlyMap<string, JsonObject>
  /** Names of models by their `access_groups`. */
  readonly groups: ReadonlyMap<string, ReadonlyArray<string>>
  readonly notes: ReadonlyArray<Note>
}

/** LiteLLM's names of kinds. */
const kinds: Readonly<Record<string, string>> = {
  embedding: "embedding",
  image_generation: "image",
  audio_transcription: "transcription",
  audio_speech: "speech",
  moderation: "moderation",
  rerank: "rerank"
}

/** The models of LiteLLM's deployments, with their routes, aliases and fallbacks. */
export const modelsOf = (settings: Settings, secrets: Secrets): PlannedModels => {
  const notes: Array<Note> = []
  const upstreams = new Upstreams()
  const models = new Map<string, JsonObject>()
  const groups = new Map<string, Array<string>>()
  for (const [name, deployments] of byName(settings.models)) {
    const routes = deployments.flatMap((one) => {
      const { notes: some, route } = routeOf(one, settings.credentials, secrets)
      notes.push(...some)
      return route === undefined ? [] : [route]
    })
    if (routes.length === 0) continue
    if (name === "*") {
      notes.push({
        at: 'model "*"',
        why: "a model's provider isn't read from its name: list_models: true of an upstream, or patterns such as openai/*"
      })
      continue
    }
    models.set(name, modelOf(name, deployments, routes, upstreams, notes))
    for (const group of new Set(deployments.flatMap(({ info }) => listAt(info, "access_groups")))) {
      if (typeof group === "string") groups.set(group, [...(groups.get(group) ?? []), name])
    }
  }
  addAliases(settings, models, notes)
  addFallbacks(settings, models, notes)
  return { upstreams: upstreams.byName, models, groups, notes }
}

const byName = (all: ReadonlyArray<Deployment>): ReadonlyMap<string, ReadonlyArray<Deployment>> =>
  Map.groupBy(all, ({ name }) => name)

const modelOf = (
  name: string,
  deployments: ReadonlyArray<Deployment>,
  routes: ReadonlyArray<PlannedRoute>,
  upstreams: Upstreams,
  notes: Array<Note>
): JsonObject => {
  const sorted = routes.toSorted((one, other) => (one.order === other.order ? 0 : one.order - other.order))
  const first = sorted.filter(({ order }) => order === sorted[0]?.order)
  const isShared = first.length > 1
  const written = sorted.map((route) => {
    const upstream = upstreams.nameOf(route)
    return {
      upstream,
      ...((route.model !== name || name.includes("*")) && { model: route.model }),
      ...(isShared && first.includes(route) && { weight: route.share }),
      ...route.settings
    }
  })
  const limits = {
    ...count("requests_per_minute", routes[0]?.requestsPerMinute),
    ...count("tokens_per_minute", routes[0]?.tokensPerMinute)
  }
  const isLimited = routes.some((one) => one.requestsPerMinute !== undefined || one.tokensPerMinute !== undefined)
  if (isLimited && routes.length > 1) {
    notes.push({
      at: `model "${name}"`,
      why: "rpm and tpm of its deployments are their shares alone: limits are a model's, not a route's"
    })
  }
  const info = deployments.reduce<JsonObject>((all, one) => ({ ...all, ...one.info }), {})
  const kind = kinds[textAt(info, "mode") ?? ""]
  const tokens = (field: string) => numberAt(info, field)
  return {
    routes: written,
    ...(kind !== undefined && { kind }),
    ...count("context", tokens("max_input_tokens")),
    ...count("max_output_tokens", tokens("max_output_tokens") ?? tokens("max_tokens")),
    ...(routes.length === 1 && Object.keys(limits).length > 0 && { limits })
  }
}

const count = (name: string, value: number | undefined) =>
  value !== undefined && Number.isSafeInteger(value) && value > 0 ? { [name]: value } : {}

/** Upstreams by name, each once. */
class Upstreams {
  readonly byName = new Map<string, JsonObject>()
  readonly #names = new Map<string, string>()
  /** The last number of each name: thousands may be alike but for their keys. */
  readonly #last = new Map<string, number>()

  /** The name of a route's upstream, which is added if there is none like it. */
  nameOf({ baseModel, model, upstream: { entry, name } }: PlannedRoute): string {
    const same = JSON.stringify([name, entry])
    const found = this.#names.get(same) ?? this.#freeName(name)
    this.#names.set(same, found)
    const { models, ...rest } = this.byName.get(found) ?? entry
    const names = { ...(isObject(models) ? models : {}), ...(baseModel !== undefined && { [model]: baseModel }) }
    this.byName.set(found, Object.keys(names).length > 0 ? { ...rest, models: names } : rest)
    return found
  }

  #freeName(name: string): string {
    for (let index = (this.#last.get(name) ?? 0) + 1; ; index++) {
      const candidate = index === 1 ? name : `${name}-${index}`
      if (this.byName.has(candidate)) continue
      this.#last.set(name, index)
      return candidate
    }
  }
}

const addAliases = ({ litellm, router }: Settings, models: Map<string, JsonObject>, notes: Array<Note>) => {
  const aliases = {
    ...objectAt(litellm, "model_group_alias"),
    ...objectAt(litellm, "model_alias_map"),
    ...objectAt(router, "model_group_alias")
  }
  for (const [alias, target] of Object.entries(aliases)) {
    const at = `model_group_alias "${alias}"`
    const name = typeof target === "string" ? target : textAt(target, "model")
    const why = unwritable(alias)
    if (why !== undefined) notes.push({ at, why })
    else if (name === undefined || !models.has(name)) notes.push({ at, why: `its model "${name ?? ""}" isn't there` })
    else if (models.has(alias)) notes.push({ at, why: "a model has this name" })
    else models.set(alias, { alias: name })
  }
}

const reasonsOf = {
  fallbacks: "failed",
  context_window_fallbacks: "too_long",
  content_policy_fallbacks: "refused"
} as const

const addFallbacks = ({ litellm, router }: Settings, models: Map<string, JsonObject>, notes: Array<Note>) => {
  const names = (list: ReadonlyArray<unknown>, at: string, of: string) =>
    list.flatMap((one) => {
      if (one === of) return []
      if (typeof one === "string" && models.has(one)) return [one]
      const why =
        typeof one === "string" ? `"${one}" isn't a model` : "a fallback with parameters of its own isn't carried"
      notes.push({ at, why })
      return []
    })
  const add = (model: string, reason: string, others: ReadonlyArray<string>) => {
    const entry = models.get(model)
    if (entry === undefined || "alias" in entry || others.length === 0) return
    const fallbacks = objectAt(entry, "fallbacks") ?? {}
    if (fallbacks[reason] !== undefined) return
    models.set(model, { ...entry, fallbacks: { ...fallbacks, [reason]: others.length === 1 ? others[0] : others } })
  }
  for (const [field, reason] of Object.entries(reasonsOf)) {
    for (const source of [router, litellm]) {
      for (const entry of listAt(source, field)) {
        for (const [model, others] of Object.entries(isObject(entry) ? entry : {})) {
          const at = `${field} of "${model}"`
          const list = Array.isArray(others) ? others : []
          if (model !== "*" && !models.has(model)) notes.push({ at, why: "isn't a model" })
          for (const one of model === "*" ? models.keys() : [model]) add(one, reason, names(list, at, one))
        }
      }
    }
  }
  const usual = [...listAt(router, "default_fallbacks"), ...listAt(litellm, "default_fallbacks")]
  for (const one of models.keys()) add(one, "failed", names(usual, "default_fallbacks", one))
}
