import type { Caller } from "../contract/callers/Caller.ts"
import { credential } from "../contract/callers/credential.ts"
import { Forbidden, InvalidRequest } from "../contract/failures/Failure.ts"
import type { ModelForbidden } from "../contract/failures/Failure.ts"
import { allowedRoutes, forbidden } from "../contract/callers/permission.ts"
import { shorten } from "../contract/text/shorten.ts"
import type { Model } from "../catalogue/Catalogue.ts"

/** The header with which a request chooses among the routes of its model. */
export const routeHeader = "x-gateway-route"

/** A model with the routes that the caller's key and the request leave. */
export interface ChosenRoutes {
  readonly model: Model
  /** True if the request goes to the first route alone, and to no other model. */
  readonly noFallback: boolean
}

/**
 * Narrows a model's routes to those that its caller's key may use and its request chooses. Fails if the caller may not
 * use the model or choose routes, or if the header is wrong; the message names no upstream that the caller can't use
 * for this model.
 *
 * @param headers of the request; absent if it has none
 * @param isFallback true for a model that the request does not name, which may lack some of the chosen upstreams
 */
export const chosenRoutes = (
  caller: Caller,
  model: Model,
  headers: Headers | undefined,
  isFallback = false
): ChosenRoutes | Forbidden | InvalidRequest | ModelForbidden => {
  const refused = forbidden(caller, model)
  if (refused !== undefined) return refused
  const routes = allowedRoutes(caller, model.routes)
  const written = headers?.get(routeHeader) ?? null
  if (written === null) {
    return { model: routes.length === model.routes.length ? model : { ...model, routes }, noFallback: false }
  }
  if (caller.choosesRoute !== true) return mayNotChoose(caller)
  const choice = readChoice(written)
  if (choice instanceof InvalidRequest) return choice
  const { noFallback, only } = choice
  if (only === undefined) return { model: { ...model, routes }, noFallback }
  const known = new Set(routes.map(({ upstream }) => upstream))
  const chosen = routes.filter(({ upstream }) => only.has(upstream))
  const unknown = [...only].find((upstream) => !known.has(upstream))
  return unknown === undefined || (isFallback && chosen.length > 0)
    ? { model: { ...model, routes: chosen }, noFallback }
    : wrong(
        `"${shorten(unknown)}" is no upstream of the model "${shorten(model.id)}"; choose from ${[...known].join(", ")}`
      )
}

/** True unless a request that may choose its routes excludes other models. */
export const mayFallBack = (headers: Headers | undefined): boolean =>
  headers?.get(routeHeader)?.includes("no_fallback") !== true

interface Choice {
  readonly only: ReadonlySet<string> | undefined
  readonly noFallback: boolean
}

/** Reads `only=a,b; no_fallback`. Each part may stand once, in any order. */
const readChoice = (written: string): Choice | InvalidRequest => {
  if (written.length > longestHeader) return wrong(`expected ${longestHeader} characters at most; ${form}`)
  let only: ReadonlySet<string> | undefined
  let noFallback = false
  for (const part of written.split(";").map((text) => text.trim())) {
    if (part === "no_fallback" && !noFallback) noFallback = true
    else if (part.startsWith("only=") && only === undefined) {
      only = new Set(
        part
          .slice("only=".length)
          .split(",")
          .map((name) => name.trim())
      )
      if (only.has("")) return wrong(form)
    } else return wrong(`${form}; got "${shorten(part)}"`)
  }
  return { only, noFallback }
}

const longestHeader = 4_096

const form = "expected only=<upstream>,<upstream> or no_fallback, or both with ; between them, each once"

const wrong = (rule: string) => new InvalidRequest({ param: routeHeader, message: `${routeHeader}: ${rule}` })

const mayNotChoose = (caller: Caller) =>
  new Forbidden({
    message: `${routeHeader}: ${credential(caller)} may not choose its routes; the setting choose_route: true of the key allows it`
  })
