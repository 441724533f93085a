import type { ServedModels, Model } from "../catalogue/Catalogue.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure, RateLimited } from "../contract/failures/Failure.ts"
import { FallbackReason } from "../contract/records/FallbackReason.ts"
import { forbidden } from "../contract/callers/permission.ts"
import type { Attempts } from "./Attempts.ts"

/** The most other models that one request asks. */
const mostAsked = 8

/**
 * The models that may answer a request in place of its own: those of its model's kind that the caller may use. A
 * fallback's own fallbacks are asked before the next model of the list.
 */
export class Fallbacks {
  readonly #catalogue: ServedModels
  readonly #caller: Caller
  readonly #asked: Set<string>
  #left: ReadonlyArray<Model> = []
  /** The reason that the requested model does not answer; undefined while it may. */
  reason: FallbackReason | undefined
  /** The failure of a flex request whose tier is full: another model may serve it as flex, and never at a dearer tier. */
  fullFlex: RateLimited | undefined

  constructor(catalogue: ServedModels, caller: Caller, model: Model) {
    this.#catalogue = catalogue
    this.#caller = caller
    this.#asked = new Set([nameOf(model)])
  }

  /** True if another model may answer after this one, for that reason. */
  has(model: Model, reason: FallbackReason): boolean {
    if (this.#asked.size > mostAsked) return false
    return this.#left.some((other) => this.#isOpen(other)) || this.#of(model, reason).length > 0
  }

  /** True if another model may answer after this one, for whatever reason. */
  hasAny(model: Model): boolean {
    return FallbackReason.literals.some((reason) => this.has(model, reason))
  }

  /** The model to ask after this one. */
  next(model: Model, reason: FallbackReason | undefined): Model | undefined {
    if (this.#asked.size > mostAsked) return undefined
    const own = reason === undefined ? [] : this.#of(model, reason)
    const [first, ...others] = [...own, ...this.#left].filter((other) => this.#isOpen(other))
    if (first === undefined) return undefined
    this.reason ??= reason
    this.#asked.add(nameOf(first))
    this.#left = others
    return first
  }

  #of({ fallbacks, kind }: Model, reason: FallbackReason): ReadonlyArray<Model> {
    return (fallbacks?.[reason] ?? [])
      .flatMap((id) => this.#catalogue.get(id) ?? [])
      .filter((model) => model.kind === kind && this.#isOpen(model) && forbidden(this.#caller, model) === undefined)
  }

  #isOpen(model: Model): boolean {
    return !this.#asked.has(nameOf(model))
  }
}

/** The shared parts of the works of one request, one for each model that it asks. */
export interface Chain {
  /** The model that the caller named. */
  readonly requested: Pick<Model, "id" | "aliasOf">
  readonly attempts: Attempts
  readonly fallbacks: Fallbacks | undefined
}

/** All models that may answer a caller's request in place of its own. */
export const allFallbacks = (catalogue: ServedModels, caller: Caller, model: Model): ReadonlyArray<Model> => {
  if (model.fallbacks === undefined) return []
  const found: Array<Model> = []
  const seen = new Set([nameOf(model)])
  const visit = ({ fallbacks, kind }: Model): void => {
    for (const reason of FallbackReason.literals) {
      for (const id of fallbacks?.[reason] ?? []) {
        const next = catalogue.get(id)
        if (next === undefined || next.kind !== kind || seen.has(nameOf(next))) continue
        seen.add(nameOf(next))
        if (forbidden(caller, next) !== undefined) continue
        found.push(next)
        visit(next)
      }
    }
  }
  visit(model)
  return found
}

/** An alias is the same model. */
const nameOf = ({ aliasOf, id }: Model): string => aliasOf ?? id

/** The reason in the failure of a model's routes; undefined if no other model could do better. */
export const fallbackReasonOf = (failure: Failure): FallbackReason | undefined => {
  switch (failure._tag) {
    case "InvalidRequest":
      return failure.reason
    case "RateLimited":
    case "UpstreamFailed":
      return "failed"
    default:
      return undefined
  }
}
