/**
 * A member of an open union that the contract does not know, as it came. It stands where the member stood, and is
 * written as it came.
 */
export class Unknown {
  readonly type = "(unknown)"
  readonly sent: unknown

  constructor(sent: unknown) {
    this.sent = sent
  }

  toJSON(): unknown {
    return this.sent
  }
}

/** On a syntax tree: what an open decoder makes of an input that the tree does not take. */
export const OpenId = Symbol.for("gateway/contract/Open")

/** `member` becomes an `Unknown`; `field` is left out. */
export type Open = "member" | "field"
