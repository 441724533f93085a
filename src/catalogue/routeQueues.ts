import { Duration, Effect } from "effect"
import { makeQueue } from "../routing/Bulkhead.ts"
import type { Queue, RouteBound } from "../routing/Bulkhead.ts"
import type { Model } from "./Catalogue.ts"
import { SharedBulkheads } from "./SharedBulkheads.ts"

/** The queue of a route with its bound. */
export interface RouteQueue extends Queue {
  readonly bound: RouteBound
}

/**
 * The queues of the routes with a bound of their own, by its name.
 *
 * @param before the current ones; a queue whose bound did not change is kept with its calls
 */
export const routeQueuesOf = Effect.fnUntraced(function* (
  models: ReadonlyArray<Model>,
  before: ReadonlyMap<string, RouteQueue>
) {
  const { roomOf } = yield* SharedBulkheads
  const queues = new Map<string, RouteQueue>()
  for (const bound of models.flatMap(({ routes }) => routes.flatMap(({ bound = [] }) => bound))) {
    const { most, name, queueSeconds } = bound
    const known = before.get(name)
    const isSame = known?.bound.most === most && known.bound.queueSeconds === queueSeconds
    const made = makeQueue({
      maxConcurrency: most,
      room: roomOf(name, most),
      queueDeadline: Duration.seconds(queueSeconds)
    })
    if (!queues.has(name)) queues.set(name, isSame ? known : { ...(yield* made), bound })
  }
  return queues
})
