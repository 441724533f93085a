import type { Route } from "./Route.ts"

/** A route that may share the work of its model with others. */
export interface WeightedRoute extends Route {
  /** Its share of the conversations, relative to the other weights; a route without one is tried after those with one. */
  readonly weight?: number
}

/**
 * The routes in the order in which a conversation tries them: first those with a weight, by weighted rendezvous hashing,
 * then the others as they are. A conversation gets the same order each time and on every node, so that it stays where its
 * prompt cache is; if a route goes, its conversations are spread over the rest, and no other conversation moves.
 *
 * @param conversation text that is the same for each request of a conversation; called only if there is a choice
 */
export const arranged = <R extends WeightedRoute>(
  routes: ReadonlyArray<R>,
  conversation: () => string
): ReadonlyArray<R> => {
  const sharing = routes.filter(({ weight }) => weight !== undefined)
  if (sharing.length === 0) return routes
  const others = routes.filter(({ weight }) => weight === undefined)
  if (sharing.length === 1) return [...sharing, ...others]
  const key = conversation()
  const scored = sharing.map((route) => ({ route, score: scoreOf(route, key) }))
  return [...scored.sort((one, other) => one.score - other.score).map(({ route }) => route), ...others]
}

/** An exponential variable with the weight as its rate: the smallest of several is a route's in proportion to its weight. */
const scoreOf = ({ model, upstream, weight = 1 }: WeightedRoute, key: string): number =>
  -Math.log(uniform(`${upstream}\n${model}\n${key}`)) / weight

/** A number above 0 and below 1, from the upper 53 bits of a hash. */
const uniform = (text: string): number => (Number(Bun.hash(text) >> 11n) + 0.5) / 2 ** 53
