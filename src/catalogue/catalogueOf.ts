import { Either } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import { limitsOf } from "../config/limitsOf.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { fromUsd } from "../ledger/Price.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import type { EntryRoute, ModelEntry } from "./Catalogue.ts"

/** The built-in upstream. */
const sandbox = "sandbox"

/**
 * The catalogue of a configuration: the models that it names, those that its upstreams list, and the built-in ones. A
 * route to an unknown upstream, or to one that cannot serve the model's kind, is refused with its line.
 *
 * @param own the built-in models
 * @param listed the listed models by upstream
 */
export const catalogueOf = (
  file: Located<GatewayFile>,
  own: ReadonlyArray<ModelEntry>,
  listed: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
): Either.Either<ReadonlyMap<string, ModelEntry>, BadSettings> =>
  Either.gen(function* () {
    const models = new Map(own.map((model) => [model.id, model]))
    if (file.value.upstreams !== undefined && sandbox in file.value.upstreams) {
      return yield* Either.left(
        file.complain(["upstreams", sandbox], `upstreams.${sandbox}: this name is the sandbox's`)
      )
    }
    for (const [id, entry] of Object.entries(file.value.models ?? {})) {
      models.set(
        id,
        yield* modelOf(file, id, typeof entry === "string" ? { routes: [{ upstream: entry }] } : entry, own)
      )
    }
    for (const [upstream, ids] of listed) {
      for (const id of ids) {
        if (!models.has(id)) models.set(id, yield* modelOf(file, id, { routes: [{ upstream }] }, own))
      }
    }
    return models
  })

type Entry = Exclude<NonNullable<GatewayFile["models"]>[string], string>

const modelOf = (
  file: Located<GatewayFile>,
  id: string,
  entry: Entry,
  own: ReadonlyArray<ModelEntry>
): Either.Either<ModelEntry, BadSettings> =>
  Either.gen(function* () {
    const routes: Array<EntryRoute> = []
    const kinds: Array<ModelEntry["kind"]> = []
    for (const [index, { model = id, price, upstream }] of entry.routes.entries()) {
      const kind = kindOf(file, { upstream, model, id, said: entry.kind }, own)
      const path = ["models", id, "routes", index, "upstream"]
      if (kind === undefined) {
        const names = [sandbox, ...Object.keys(file.value.upstreams ?? {})].join(", ")
        return yield* Either.left(file.complain(path, `models.${id}: no upstream "${upstream}"; there are ${names}`))
      }
      if (kinds[0] !== undefined && kinds[0] !== kind) {
        return yield* Either.left(
          file.complain(
            path,
            `models.${id}: upstream "${upstream}" serves ${kind} models, the routes before it ${kinds[0]}`
          )
        )
      }
      kinds.push(kind)
      const knownAs = file.value.upstreams?.[upstream]?.models?.[model]
      routes.push({
        upstream,
        model: upstream === sandbox ? sandboxModel(model, kind, own) : model,
        ...(knownAs === undefined ? {} : { knownAs }),
        ...(price === undefined ? {} : { price: fromUsd(price) })
      })
    }
    return {
      id,
      kind: kinds[0] ?? "text",
      routes,
      contextTokens: entry.context,
      maxOutputTokens: entry.max_output_tokens,
      holdOutputTokens: entry.hold_output_tokens,
      ownedBy: routes[0]?.upstream ?? sandbox,
      strict: entry.strict ?? false,
      threads: entry.threads !== "off" && entry.threads !== false,
      ...(entry.price === undefined ? {} : { price: fromUsd(entry.price) }),
      ...(file.value.unpriced === undefined ? {} : { unpriced: file.value.unpriced }),
      ...(entry.limits === undefined ? {} : { limits: limitsOf(entry.limits) }),
      resolutions: entry.resolutions
    }
  })

interface Named {
  readonly upstream: string
  /** The model's id at the upstream. */
  readonly model: string
  /** The gateway's id. */
  readonly id: string
  /** The kind in its entry. */
  readonly said: "text" | "embedding" | undefined
}

const kindOf = (
  file: Located<GatewayFile>,
  { id, model, said, upstream }: Named,
  own: ReadonlyArray<ModelEntry>
): ModelEntry["kind"] | undefined => {
  const builtIn = upstream === sandbox ? own.find((one) => one.id === model)?.kind : undefined
  if (builtIn !== undefined) return builtIn
  const configured = file.value.upstreams?.[upstream]
  if (upstream !== sandbox && configured === undefined) return undefined
  const kind = configured === undefined ? "text" : protocolOf(configured.protocol).kind
  if (kind !== "text") return kind
  return said ?? (isEmbedding.test(id) || isEmbedding.test(model) ? "embedding" : "text")
}

/** The usual name of embedding models. */
const isEmbedding = /embed/i

/** `gpt-5.1: sandbox` gives the sandbox's model another name. */
const sandboxModel = (model: string, kind: ModelEntry["kind"], own: ReadonlyArray<ModelEntry>) =>
  own.some(({ id }) => id === model) ? model : (own.find((one) => one.kind === kind)?.id ?? model)
