/** Somebody's place among the members. */
interface Place<A> {
  readonly member: A
  at: number
}

/**
 * Those who are here now, in no order. A `Set` that lives long keeps alive, until a full collection, who was deleted from
 * it: here who leaves gives the place to the last.
 */
export class Members<A> {
  readonly #places: Array<Place<A>> = []

  get size(): number {
    return this.#places.length
  }

  /** @returns has it leave; more than once does nothing */
  join(member: A): () => void {
    const place: Place<A> = { member, at: this.#places.length }
    this.#places.push(place)
    return () => this.#leave(place)
  }

  /** Those of now, who may leave meanwhile. */
  all(): ReadonlyArray<A> {
    return this.#places.map(({ member }) => member)
  }

  #leave(place: Place<A>): void {
    const { at } = place
    if (at === -1) return
    place.at = -1
    const last = this.#places.pop()
    if (last === undefined || last === place) return
    this.#places[at] = last
    last.at = at
  }
}
