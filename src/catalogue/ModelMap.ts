import { Recent } from "../routing/Recent.ts"
import type { ServedModels } from "./Catalogue.ts"

/** An id of `models` with a `*`, and the models that it stands for. */
export interface Wildcard<M> {
  readonly pattern: string
  /** The model of an id that the pattern matches, or of the pattern itself; undefined if its routes can't serve it. */
  readonly modelOf: (id: string) => M | undefined
}

/** The most ids that only a wildcard matches to remember. Callers choose them. */
const mostRemembered = 1_000
/** The longest id that a wildcard matches. */
const longestId = 256

/** The served models. An id without an entry gets the model of the most specific wildcard that matches it. */
export class ModelMap<M> extends Map<string, M> implements ServedModels<M> {
  #wildcards: ReadonlyArray<Wildcard<M>> = []
  #matched = new Recent<M>(mostRemembered)

  constructor(models: Iterable<readonly [string, M]> = [], wildcards: ReadonlyArray<Wildcard<M>> = []) {
    super()
    this.replace(models, wildcards)
  }

  /** @param models those with an entry */
  replace(models: Iterable<readonly [string, M]>, wildcards: ReadonlyArray<Wildcard<M>>): void {
    this.clear()
    for (const [id, model] of models) this.set(id, model)
    this.#wildcards = wildcards.toSorted((one, other) => other.pattern.length - one.pattern.length)
    this.#matched = new Recent(mostRemembered)
  }

  override get(id: string): M | undefined {
    return super.get(id) ?? (this.#wildcards.length === 0 ? undefined : this.#matching(id))
  }

  get wildcards(): ReadonlyArray<M> {
    return this.#wildcards.flatMap(({ modelOf, pattern }) => modelOf(pattern) ?? [])
  }

  /** The pattern that an id without an entry matches. Far cheaper than its model, whose price has to be found. */
  patternOf(id: string): string | undefined {
    return id.length > longestId ? undefined : this.#wildcardFor(id)?.pattern
  }

  #wildcardFor(id: string): Wildcard<M> | undefined {
    return this.#wildcards.find(({ pattern }) => starOf(pattern, id) !== undefined)
  }

  /** The same models, each changed. */
  mapped<B>(change: (model: M) => B): ModelMap<B> {
    const wildcards = this.#wildcards.map(({ modelOf, pattern }) => ({
      pattern,
      modelOf: (id: string) => {
        const model = modelOf(id)
        return model === undefined ? undefined : change(model)
      }
    }))
    return new ModelMap(
      [...this].map(([id, model]) => [id, change(model)] as const),
      wildcards
    )
  }

  /** Takes over the content of another map. */
  become(other: ModelMap<M>): void {
    this.replace(other, other.#wildcards)
  }

  #matching(id: string): M | undefined {
    if (id.length > longestId) return undefined
    const known = this.#matched.get(id)
    if (known !== undefined) return known
    const wildcard = this.#wildcardFor(id)
    if (wildcard === undefined) return undefined
    const model = wildcard.modelOf(id)
    if (model !== undefined) this.#matched.set(id, model)
    return model
  }
}

/** The characters that the `*` of a pattern stands for in an id, one at least; undefined if it does not match. */
export const starOf = (pattern: string, id: string): string | undefined => {
  const at = pattern.indexOf("*")
  const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)]
  const isLonger = id.length > head.length + tail.length
  return isLonger && id.startsWith(head) && id.endsWith(tail) ? id.slice(at, id.length - tail.length) : undefined
}
