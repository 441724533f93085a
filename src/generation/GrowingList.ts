/**
 * An append-only list. Its versions share one array: appending to the latest takes constant time, and earlier ones do
 * not change.
 */
export class GrowingList<A> {
  readonly length: number
  readonly #shared: Array<A>

  private constructor(shared: Array<A>, length: number) {
    this.#shared = shared
    this.length = length
  }

  static of<A>(all: ReadonlyArray<A>): GrowingList<A> {
    return new GrowingList([...all], all.length)
  }

  static empty<A>(): GrowingList<A> {
    return new GrowingList<A>([], 0)
  }

  with(one: A): GrowingList<A> {
    const shared = this.#shared.length === this.length ? this.#shared : this.#shared.slice(0, this.length)
    shared.push(one)
    return new GrowingList(shared, shared.length)
  }

  toArray(): ReadonlyArray<A> {
    return this.#shared.slice(0, this.length)
  }
}
