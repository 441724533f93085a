/** A statement as data: a text that is made once, and its values in their order. Nobody reads an answer of it. */
export interface PlainStatement {
  readonly text: string
  readonly values: Array<string | number | null>
}
