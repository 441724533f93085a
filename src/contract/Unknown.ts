/** A member of an open union that the contract does not know. It keeps its place and is written as it was sent. */
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

/** Schema annotation: an open decoder's treatment of an input that the schema rejects. */
export const OpenId = Symbol.for("gateway/contract/Open")

/** `member` becomes an `Unknown`; `field` is left out. */
export type Open = "member" | "field"
