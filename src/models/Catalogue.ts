import { Context } from "effect"

/** A model as callers know it, and where it runs. */
export interface Model {
  /** The caller's name for it. */
  readonly id: string
  readonly kind: "text" | "video"
  /** Tried in order. */
  readonly routes: ReadonlyArray<Route>
  /** Context window in tokens; undefined where unknown. */
  readonly contextTokens: number | undefined
  readonly ownedBy: string
}

export interface Route {
  /** Name of an upstream. */
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
}

/** Every model this gateway serves, by the caller's id; made once at start. */
export class Catalogue extends Context.Tag("gateway/models/Catalogue")<Catalogue, ReadonlyMap<string, Model>>() {}
