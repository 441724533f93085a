/** A map of the most recently used entries: at least the last `most`, never more than twice as many. */
export class Recent<V> {
  readonly #most: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    this.#old.delete(key)
    this.#young.set(key, value)
    if (this.#young.size < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  *values(): Iterable<V> {
    yield* this.#young.values()
    yield* this.#old.values()
  }
}
