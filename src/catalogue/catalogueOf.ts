import { Either } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import { limitsOf } from "../config/limitsOf.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { protocolFor, protocolsAt } from "../config/providers/surfaces.ts"
import type { UpstreamEntry } from "../config/providers/surfaces.ts"
import type { ProtocolName } from "../config/sections/Upstream.ts"
import { fromUsd } from "../ledger/Price.ts"
import { usualQueueSeconds } from "../routing/Bulkhead.ts"
import type { RouteBound } from "../routing/Bulkhead.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import type { EntryRoute, ModelEntry } from "./Catalogue.ts"
import { configuredVideo } from "./configuredVideo.ts"
import { checkFallbacks, fallbacksOf } from "./fallbacks.ts"
import { ModelMap, starOf } from "./ModelMap.ts"
import type { Wildcard } from "./ModelMap.ts"
import { listsModels } from "./modelWarnings.ts"
import { calledKinds, calledModels, kindOf, kinds } from "../contract/kinds.ts"
import type { CalledKind, ModelKind } from "../contract/kinds.ts"

/** The built-in upstream. */
const sandbox = "sandbox"

/**
 * The catalogue of a configuration: the models that it names, those that its upstreams list, and the built-in ones. A
 * route to an unknown upstream, or to one that cannot serve the model's kind, is refused with its line.
 *
 * @param own the built-in models
 * @param listed the listed models by upstream, with what is known of each
 */
export const catalogueOf = (
  file: Located<GatewayFile>,
  own: ReadonlyArray<ModelEntry>,
  listed: ReadonlyMap<string, ReadonlyMap<string, unknown>> = new Map()
): Either.Either<ModelMap<ModelEntry>, BadSettings> =>
  Either.gen(function* () {
    const models = new Map(own.map((model) => [model.id, model]))
    const wildcards: Array<Wildcard<ModelEntry>> = []
    const aliases: Array<readonly [string, string]> = []
    if (file.value.upstreams !== undefined && sandbox in file.value.upstreams) {
      return yield* Either.left(
        file.complain(["upstreams", sandbox], `upstreams.${sandbox}: this name is the sandbox's`)
      )
    }
    for (const [id, written] of Object.entries(file.value.models ?? {})) {
      const entry = typeof written === "string" ? { routes: [{ upstream: written }] as const } : written
      if ("alias" in entry) aliases.push([id, entry.alias])
      else if (id.includes("*")) wildcards.push(yield* wildcardOf(file, id, entry, own))
      else models.set(id, yield* modelOf(file, id, entry, own))
    }
    for (const [upstream, ofUpstream] of listed) {
      for (const id of ofUpstream.keys()) {
        if (!models.has(id)) models.set(id, yield* modelOf(file, id, { routes: [{ upstream }] }, own))
      }
    }
    const all = new ModelMap(models, wildcards)
    for (const [id, target] of aliases) {
      const model = yield* targetOf(file, all, id, target)
      if (model !== undefined) all.set(id, { ...model, id, aliasOf: model.id })
    }
    yield* checkFallbacks(file, all)
    return all
  })

/** The model that an alias leads to, perhaps by way of other aliases; undefined if an upstream may list it later. */
const targetOf = (
  file: Located<GatewayFile>,
  models: ModelMap<ModelEntry>,
  id: string,
  first: string
): Either.Either<ModelEntry | undefined, BadSettings> => {
  const complain = (rule: string) => Either.left(file.complain(["models", id, "alias"], `models.${id}.alias: ${rule}`))
  if (id.includes("*")) return complain("a wildcard can't be an alias")
  const seen = new Set([id])
  let target = first
  for (;;) {
    if (seen.has(target)) return complain(`it leads back to "${target}"`)
    seen.add(target)
    const entry = file.value.models?.[target]
    if (typeof entry !== "object" || !("alias" in entry)) break
    target = entry.alias
  }
  const model = models.get(target)
  return model === undefined && !listsModels(file.value)
    ? complain(`there is no model "${target}"`)
    : Either.right(model)
}

/** The models that an entry with a `*` in its id stands for. Its mistakes are found with the pattern as an id. */
const wildcardOf = (
  file: Located<GatewayFile>,
  pattern: string,
  entry: Entry,
  own: ReadonlyArray<ModelEntry>
): Either.Either<Wildcard<ModelEntry>, BadSettings> => {
  if (pattern.indexOf("*") !== pattern.lastIndexOf("*")) {
    return Either.left(file.complain(["models", pattern], `models: "${pattern}" has more than one *`))
  }
  const head = pattern.slice(0, pattern.indexOf("*"))
  const usual = head.endsWith("/") ? pattern.slice(head.length) : pattern
  const at = (id: string) => {
    const star = starOf(pattern, id) ?? "*"
    const [first, ...others] = entry.routes.map((route) => ({
      ...route,
      model: (route.model ?? usual).replace("*", () => star)
    }))
    return Either.map(
      modelOf(file, id, { ...entry, routes: [first ?? entry.routes[0], ...others] }, own, pattern),
      (model) => ({
        ...model,
        wildcard: pattern
      })
    )
  }
  return Either.map(at(pattern), () => ({ pattern, modelOf: (id) => Either.getOrUndefined(at(id)) }))
}

type Entry = Exclude<NonNullable<GatewayFile["models"]>[string], string | { readonly alias: string }>

const modelOf = (
  file: Located<GatewayFile>,
  id: string,
  entry: Entry,
  own: ReadonlyArray<ModelEntry>,
  pattern = id
): Either.Either<ModelEntry, BadSettings> =>
  Either.gen(function* () {
    const routes: Array<EntryRoute> = []
    const seen: Array<ModelKind> = []
    for (const [index, route] of entry.routes.entries()) {
      const { model = id, price, upstream, weight } = route
      const configured = file.value.upstreams?.[upstream]
      const names = configured?.models ?? {}
      // Callers name models by wildcards, and `constructor` is a name.
      const knownAs = Object.hasOwn(names, model) ? names[model] : undefined
      const protocol = configured && protocolFor(configured, knownAs ?? model, route.protocol)
      const kind = kindAt(configured, protocol, { upstream, model, id, said: entry.kind }, own)
      const path = ["models", id, "routes", index, "upstream"]
      if (kind === undefined) {
        const names = [sandbox, ...Object.keys(file.value.upstreams ?? {})].join(", ")
        return yield* Either.left(file.complain(path, `models.${id}: no upstream "${upstream}"; there are ${names}`))
      }
      if (seen[0] !== undefined && seen[0] !== kind) {
        return yield* Either.left(
          file.complain(
            path,
            `models.${id}: upstream "${upstream}" serves ${kind} models, the routes before it ${seen[0]}`
          )
        )
      }
      seen.push(kind)
      const misplaced = kinds[kind].work === "task" && callOptions.find((option) => route[option] !== undefined)
      if (typeof misplaced === "string") {
        return yield* Either.left(
          file.complain(
            ["models", id, "routes", index, misplaced],
            `models.${id}.routes[${index}].${misplaced}: is for ${calledModels} alone`
          )
        )
      }
      const video = yield* configuredVideo(file, {
        id,
        index,
        isVideo: kind === "video",
        video: entry.video,
        ofRoute: route.video
      })
      const bound = boundOf(file, `models.${pattern}.routes[${index}]`, route)
      const deadlines = deadlinesOf(route)
      const isUsual = kinds[kind].work === "task" || protocol === usualOfTexts(file, upstream)
      routes.push({
        upstream,
        ...(upstream === sandbox ? sandboxRoute(model, kind, own) : { model }),
        ...(protocol === undefined || isUsual ? {} : { protocol }),
        ...(knownAs === undefined ? {} : { knownAs }),
        ...(price === undefined ? {} : { price: fromUsd(price) }),
        ...(configured?.unpriced === undefined ? {} : { unpriced: configured.unpriced }),
        ...(weight === undefined ? {} : { weight }),
        ...(deadlines === undefined ? {} : { deadlines }),
        ...(bound === undefined ? {} : { bound }),
        ...(video === undefined ? {} : { video })
      })
    }
    const { prefer = "order" } = entry
    if (prefer !== "order" && routes.some(({ weight }) => weight !== undefined)) {
      return yield* Either.left(
        file.complain(["models", id, "prefer"], `models.${id}.prefer: routes have weights, which decide the order`)
      )
    }
    const [kind = "text"] = seen
    const isTask = kinds[kind].work === "task"
    if (prefer === "fastest" && isTask) {
      return yield* Either.left(
        file.complain(["models", id, "prefer"], `models.${id}.prefer: fastest is for ${calledModels}`)
      )
    }
    if (entry.hedge_seconds !== undefined && isTask) {
      return yield* Either.left(
        file.complain(["models", id, "hedge_seconds"], `models.${id}.hedge_seconds: is for ${calledModels} alone`)
      )
    }
    const fallbacks = fallbacksOf(entry.fallbacks)
    return {
      id,
      kind,
      routes,
      contextTokens: entry.context,
      maxOutputTokens: entry.max_output_tokens,
      holdOutputTokens: entry.hold_output_tokens,
      ...(entry.facts === undefined ? {} : { told: entry.facts }),
      ownedBy: routes[0]?.upstream ?? sandbox,
      strict: entry.strict ?? false,
      threads: entry.threads !== "off" && entry.threads !== false,
      ...(entry.price === undefined ? {} : { price: fromUsd(entry.price) }),
      ...(file.value.unpriced === undefined ? {} : { unpriced: file.value.unpriced }),
      ...(entry.hedge_seconds === undefined ? {} : { hedgeMs: entry.hedge_seconds * 1_000 }),
      ...(entry.prefer === undefined ? {} : { prefer: entry.prefer }),
      ...(entry.limits === undefined ? {} : { limits: limitsOf(entry.limits) }),
      ...(fallbacks === undefined ? {} : { fallbacks }),
      ...(entry.guardrails === undefined ? {} : { guardrails: entry.guardrails }),
      ...(entry.sticky === "conversation" ? { sticky: entry.sticky } : {}),
      resolutions: entry.resolutions
    }
  })

/** Options of a route that video models lack: their tasks wait by themselves. */
const callOptions = ["first_byte_seconds", "idle_seconds", "max_concurrency"] as const

const boundOf = (file: Located<GatewayFile>, name: string, route: Entry["routes"][number]): RouteBound | undefined =>
  route.max_concurrency === undefined
    ? undefined
    : {
        name,
        most: route.max_concurrency,
        queueSeconds: file.value.upstreams?.[route.upstream]?.queue_seconds ?? usualQueueSeconds
      }

const deadlinesOf = ({
  first_byte_seconds: first,
  idle_seconds: idle
}: Entry["routes"][number]): EntryRoute["deadlines"] =>
  first === undefined && idle === undefined
    ? undefined
    : {
        ...(first === undefined ? {} : { firstByteMs: first * 1_000 }),
        ...(idle === undefined ? {} : { idleMs: idle * 1_000 })
      }

interface Named {
  readonly upstream: string
  /** The model's id at the upstream. */
  readonly model: string
  /** The gateway's id. */
  readonly id: string
  /** The kind in its entry. */
  readonly said: CalledKind | undefined
}

const kindAt = (
  configured: UpstreamEntry | undefined,
  protocol: ProtocolName | undefined,
  { id, model, said, upstream }: Named,
  own: ReadonlyArray<ModelEntry>
): ModelKind | undefined => {
  const builtIn = upstream === sandbox ? own.find((one) => one.id === model)?.kind : undefined
  if (builtIn !== undefined) return builtIn
  if (upstream !== sandbox && configured === undefined) return undefined
  const kind = protocol === undefined ? "text" : protocolOf(protocol).kind
  if (kind !== "text") return kind
  return said ?? calledKinds.find((one) => [id, model].some((name) => kindOf(one).usualName?.test(name))) ?? "text"
}

/** The protocol of an upstream's texts whose routes name none. */
const usualOfTexts = ({ value }: Located<GatewayFile>, upstream: string): ProtocolName | undefined =>
  protocolsAt(value, upstream).find((protocol) => protocolOf(protocol).kind === "text")

/** `gpt-5.1: sandbox` gives the sandbox's model another name. */
const sandboxRoute = (model: string, kind: ModelKind, own: ReadonlyArray<ModelEntry>) => {
  const entry = own.find(({ id }) => id === model) ?? own.find((one) => one.kind === kind)
  const facts = entry?.routes[0]?.facts
  return { model: entry?.id ?? model, ...(facts !== undefined && { facts }) }
}
