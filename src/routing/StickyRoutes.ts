import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** The most conversations that are remembered. */
const mostConversations = 10_000
/** How long a conversation stays at the route that answered in place of an earlier one, in ms. */
const keptMs = 600_000

interface StickyRoute {
  readonly upstream: string
  readonly model: string
  readonly untilMs: number
}

/** The routes of conversations that left an earlier one, on this node. */
export class StickyRoutes {
  readonly #kept = new Recent<StickyRoute>(mostConversations)

  /** The routes with that of the conversation first. */
  keptFirst<R extends Route>(routes: ReadonlyArray<R>, conversation: string, nowMs: number): ReadonlyArray<R> {
    const kept = this.#kept.get(nameOf(conversation))
    if (kept === undefined || kept.untilMs <= nowMs) return routes
    const route = routes.find(({ model, upstream }) => upstream === kept.upstream && model === kept.model)
    return route === undefined ? routes : [route, ...routes.filter((other) => other !== route)]
  }

  keep(conversation: string, { model, upstream }: Route, nowMs: number): void {
    this.#kept.set(nameOf(conversation), { upstream, model, untilMs: nowMs + keptMs })
  }
}

/** A conversation's key may be long. */
const nameOf = (conversation: string): string => Bun.hash(conversation).toString(36)
