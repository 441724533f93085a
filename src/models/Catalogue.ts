import { Context } from "effect"
import type { Limits } from "../contract/Caller.ts"
import type { Price } from "../ledger/Price.ts"

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
  /** What it costs; free where absent. */
  readonly price?: Price
  /** How much of it all callers together may use. */
  readonly limits?: Limits
  /** Refuse what an upstream can't carry instead of leaving it out. */
  readonly strict?: boolean
  /** Of a video model: the resolutions it makes; undefined for the family's own. */
  readonly resolutions?: ReadonlyArray<string> | undefined
}

export interface Route {
  /** Name of an upstream. */
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
}

/** Every model this gateway serves, by the caller's id. A reload replaces what is in it, so ask it each time. */
export class Catalogue extends Context.Tag("gateway/models/Catalogue")<Catalogue, ReadonlyMap<string, Model>>() {}
