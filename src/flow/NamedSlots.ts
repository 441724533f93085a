interface Box<A> {
  value: A | undefined
}

/**
 * A map for entries that come and go. A long-lived `Map` keeps deleted entries alive until a full collection; here only
 * a name and an empty box.
 */
export class NamedSlots<A> {
  readonly #boxes = new Map<string, Box<A>>()

  get size(): number {
    return this.#boxes.size
  }

  get(name: string): A | undefined {
    return this.#boxes.get(name)?.value
  }

  /** Replaces an entry of the same name. */
  set(name: string, value: A): void {
    const box = this.#boxes.get(name)
    if (box === undefined) this.#boxes.set(name, { value })
    else box.value = value
  }

  /** Returns true if there was one. */
  delete(name: string): boolean {
    const box = this.#boxes.get(name)
    if (box === undefined) return false
    box.value = undefined
    return this.#boxes.delete(name)
  }

  /** The name that was added first. */
  get oldest(): string | undefined {
    return this.#boxes.keys().next().value
  }

  values(): ReadonlyArray<A> {
    return Array.from(this.#boxes.values()).flatMap(({ value }) => (value === undefined ? [] : [value]))
  }
}
