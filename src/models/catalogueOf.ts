import { Either } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import { protocols } from "../config/GatewayFile.ts"
import { limitsOf } from "../config/limitsOf.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { fromUsd } from "../ledger/Price.ts"
import type { Model, Route } from "./Catalogue.ts"

/** The upstream that is always there. */
const sandbox = "sandbox"

/**
 * The catalogue of a configuration: the models it names, those its upstreams list, and the sandbox's own. A route to
 * nowhere, or one to an upstream that can't serve the model's kind, is refused with its line.
 *
 * @param own what the sandbox serves under its own names
 * @param listed the models that upstreams list, by upstream
 */
export const catalogueOf = (
  file: Located<GatewayFile>,
  own: ReadonlyArray<Model>,
  listed: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
): Either.Either<ReadonlyMap<string, Model>, BadSettings> =>
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
  own: ReadonlyArray<Model>
): Either.Either<Model, BadSettings> =>
  Either.gen(function* () {
    const routes: Array<Route> = []
    const kinds: Array<Model["kind"]> = []
    for (const [index, { model = id, upstream }] of entry.routes.entries()) {
      const kind = kindOf(file, upstream, model, own)
      const path = ["models", id, "routes", index, "upstream"]
      if (kind === undefined) {
        const known = [sandbox, ...Object.keys(file.value.upstreams ?? {})].join(", ")
        return yield* Either.left(file.complain(path, `models.${id}: no upstream "${upstream}"; there are ${known}`))
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
      routes.push({ upstream, model: upstream === sandbox ? sandboxModel(model, kind, own) : model })
    }
    return {
      id,
      kind: kinds[0] ?? "text",
      routes,
      contextTokens: entry.context,
      ownedBy: routes[0]?.upstream ?? sandbox,
      strict: entry.strict ?? false,
      ...(entry.price === undefined ? {} : { price: fromUsd(entry.price) }),
      ...(entry.limits === undefined ? {} : { limits: limitsOf(entry.limits) }),
      resolutions: entry.resolutions
    }
  })

const kindOf = (
  file: Located<GatewayFile>,
  upstream: string,
  model: string,
  own: ReadonlyArray<Model>
): Model["kind"] | undefined => {
  if (upstream === sandbox) return own.find(({ id }) => id === model)?.kind ?? "text"
  const configured = file.value.upstreams?.[upstream]
  return configured === undefined ? undefined : protocols[configured.protocol]
}

/** `gpt-5.1: sandbox` gives the sandbox's model another name. */
const sandboxModel = (model: string, kind: Model["kind"], own: ReadonlyArray<Model>) =>
  own.some(({ id }) => id === model) ? model : (own.find((one) => one.kind === kind)?.id ?? model)
