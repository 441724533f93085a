/** Four characters of a secret, to tell keys apart. `middle`: the four before the checksum, as older gateways kept them. */
export interface Hint {
  readonly text: string
  readonly form: "end" | "middle"
}

/** A hint as people read it; empty for a key chosen by the operator. */
export const hintShown = ({ form, text }: Hint): string =>
  text === "" ? "" : form === "end" ? `…${text}` : `…${text}……`
