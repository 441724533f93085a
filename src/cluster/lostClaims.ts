/** A row claimed by this node. */
interface Claimed {
  readonly id: string
  readonly token: string
}

/**
 * Finds lost claims: rows that this node has claimed but does not work on, in two checks in a row. The answer to the claim
 * was lost, or the release failed; claims of a living node do not expire.
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
