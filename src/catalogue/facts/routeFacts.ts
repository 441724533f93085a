import { mergedFacts } from "../../contract/records/ModelFacts.ts"
import type { ModelFacts } from "../../contract/records/ModelFacts.ts"
import type { Route } from "../../routing/Route.ts"
import type { BuiltInList } from "../prices/builtInList.ts"
import type { FetchedList } from "../prices/fetched/FetchedList.ts"
import { namesOf } from "../prices/names.ts"
import { builtInFacts } from "./builtInFacts.ts"

/** The facts of a route's model. */
export interface RouteFacts {
  readonly facts: ModelFacts
  /** Those of exactly this model at this provider. They bound holds; the others are shown. */
  readonly bounding: ModelFacts
}

interface Sources {
  readonly fetched: FetchedList | undefined
  /** The bundled list, if it is loaded. */
  readonly bundled: BuiltInList | undefined
}

/**
 * The facts of a model on a route: the fetched list's of exactly this provider, then the built-in ones, the upstream's own
 * list, and those of models of the same name elsewhere. A snapshot has its model's, but not the day of its retirement.
 *
 * @param provider the provider's id in the lists; undefined if it is none of theirs
 * @param told the facts in the upstream's own list
 */
export const routeFacts = (
  route: Route,
  provider: string | undefined,
  told: ModelFacts | undefined,
  { bundled, fetched }: Sources
): RouteFacts => {
  const id = route.knownAs ?? route.model
  const names = [...namesOf(id)]
  const at = (seller: string | undefined): ReadonlyArray<ModelFacts> =>
    [
      (name: string) => fetched?.factsOf(seller === undefined ? name : `${seller}/${name}`),
      (name: string) => builtInFacts(name, seller),
      (name: string) => windowIn(bundled, name, seller)
    ].flatMap((source) => firstOf(names, source, id))
  const exact = provider === undefined ? [] : at(provider)
  const { retires: _, ...elsewhere } = mergedFacts(...at(undefined))
  return {
    facts: mergedFacts(...exact, told, releasedBy(id), elsewhere),
    bounding: mergedFacts(...exact, told)
  }
}

const firstOf = (
  names: ReadonlyArray<string>,
  source: (name: string) => ModelFacts | undefined,
  id: string
): ReadonlyArray<ModelFacts> => {
  for (const name of names) {
    const facts = source(name)
    if (facts === undefined) continue
    const { retires, ...others } = facts
    return [retires !== undefined && id.endsWith(name) ? facts : others]
  }
  return []
}

const windowIn = (list: BuiltInList | undefined, name: string, seller: string | undefined): ModelFacts | undefined => {
  const tokens = list?.contextOf(name, seller)
  return tokens === undefined ? undefined : { context_tokens: tokens }
}

/** The day in the id of a snapshot: `-20250929`, `-2025-08-07`. */
const releasedBy = (id: string): ModelFacts | undefined => {
  const [, year, month, day] = /[-@](20\d\d)-?(\d\d)-?(\d\d)(?:-v\d+(?::\d+)?)?$/.exec(id) ?? []
  const released = `${year}-${month}-${day}`
  return year === undefined || Number.isNaN(Date.parse(released)) ? undefined : { released }
}
