import { Array } from "effect"
import type { Keyed } from "../upstreams/keys/KeyPool.ts"
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
export const arrangeRoutes = <R extends WeightedRoute>(
  routes: ReadonlyArray<R>,
  conversation: () => string
): ReadonlyArray<R> => {
  const sharing = routes.filter(({ weight }) => weight !== undefined)
  if (sharing.length === 0) return routes
  const others = routes.filter(({ weight }) => weight === undefined)
  if (sharing.length === 1) return [...sharing, ...others]
  const key = conversation()
  return [...shared(sharing, ({ model, upstream }) => `${upstream}\n${model}`, key), ...others]
}

/**
 * Each route once with every key of its upstream, those of one upstream in the conversation's order. Routes of upstreams
 * without several keys stay as they are.
 */
export const withKeys = <R extends Route, U>(
  routes: ReadonlyArray<R>,
  keysOf: (route: R) => ReadonlyArray<Keyed<U>> | undefined,
  { key: own, name }: WithKey,
  at: (route: R, key: Keyed<U>) => R
): ReadonlyArray<R> =>
  routes.flatMap((route) => {
    const keys = keysOf(route)
    if (keys === undefined) return [route]
    const inOrder = shared(keys, ({ key }) => key, name)
    const [first, others] = Array.partition(inOrder, ({ key }) => key !== own)
    return [...first, ...others].map((key) => at(route, key))
  })

/** A conversation, and the key that it should keep. */
interface WithKey {
  readonly name: string
  readonly key?: string | undefined
}

const shared = <A extends { readonly weight?: number }>(
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  conversation: string
): ReadonlyArray<A> => {
  const scored = all.map((one) => ({ one, score: scoreOf(`${nameOf(one)}\n${conversation}`, one.weight) }))
  return scored.sort((one, other) => one.score - other.score).map(({ one }) => one)
}

/** An exponential variable with the weight as its rate: the smallest of several is one's in proportion to its weight. */
const scoreOf = (text: string, weight = 1): number => -Math.log(uniform(text)) / weight

/** A number above 0 and below 1, from the upper 53 bits of a hash. */
const uniform = (text: string): number => (Number(Bun.hash(text) >> 11n) + 0.5) / 2 ** 53
