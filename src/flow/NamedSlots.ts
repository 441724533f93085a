interface Box<A> {
  value: A | undefined
}

/**
 * What comes and goes under a name. A `Map` that lives long keeps alive, until a full collection, what was deleted from
 * it: here that is a name and an empty box.
 */
export class NamedSlots<A> {
  readonly #boxes = new Map<string, Box<A>>()

  get size(): number {
    return this.#boxes.size
  }

  get(name: string): A | undefined {
    return this.#boxes.get(name)?.value
  }

  /** In the place of whoever had the name. */
  set(name: string, value: A): void {
    const box = this.#boxes.get(name)
    if (box === undefined) this.#boxes.set(name, { value })
    else box.value = value
  }

  /** Whether there was one. */
  delete(name: string): boolean {
    const box = this.#boxes.get(name)
    if (box === undefined) return false
    box.value = undefined
    return this.#boxes.delete(name)
  }

  /** The one that came first. */
  get oldest(): string | undefined {
    return this.#boxes.keys().next().value
  }

  values(): ReadonlyArray<A> {
    return Array.from(this.#boxes.values()).flatMap(({ value }) => (value === undefined ? [] : [value]))
  }
}
