/** A row that this node has claimed. */
interface Claimed {
  readonly id: string
  readonly token: string
}

/**
 * Finds what has come off: rows that this node has claimed and nobody has in hand, at two looks in a row. The answer to
 * their claim was lost, or they could not be given back; and no time takes them from a node that lives.
 */
export const makeLostClaims = () => {
  let before: ReadonlySet<string> = new Set()
  return (claimed: ReadonlyArray<Claimed>, inHand: Iterable<Claimed>): ReadonlyArray<Claimed> => {
    const held = new Set(Array.from(inHand, nameOf))
    const off = claimed.filter((one) => !held.has(nameOf(one)))
    const lost = off.filter((one) => before.has(nameOf(one)))
    before = new Set(off.map(nameOf))
    return lost
  }
}

const nameOf = ({ id, token }: Claimed) => `${token} ${id}`
