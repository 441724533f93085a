/** A member and its index in the list. */
interface Place<A> {
  readonly member: A
  at: number
}

/**
 * The current members, unordered. A long-lived `Set` keeps deleted entries alive until a full collection; here the last
 * member takes the place of the one that leaves.
 */
export class Members<A> {
  readonly #places: Array<Place<A>> = []

  get size(): number {
    return this.#places.length
  }

  /** @returns removes the member; may be called more than once */
  join(member: A): () => void {
    const place: Place<A> = { member, at: this.#places.length }
    this.#places.push(place)
    return () => this.#leave(place)
  }

  /** A snapshot: members may leave during an iteration. */
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
