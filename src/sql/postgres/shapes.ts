export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** A write whose statements can be combined with those of others, whatever their values. */
export interface Shape {
  /** The number of values of one such write. */
  readonly width: number
  /** The text of one statement for this many writes; their values follow one another. */
  readonly textOf: (writes: number) => string
}

/** Sequences of statements with a common prefix, as a tree. */
interface Known {
  readonly after: Map<string, Known>
  /** Null if they can't be combined. */
  shape: Shape | null | undefined
}

/** An insert of plain values: it does not depend on other inserts. */
const rowOfValues = /^INSERT INTO \w+ \([^()]*\)\s+VALUES\s*\((\$\d+[, ]*)+\)$/
/** The most statements of a shape: each combination is a text that is kept. */
const most = 16

/**
 * Finds the shape of these statements; undefined if they can't be combined. Looked up by the texts, whose hashes are
 * cached; a joined text would be hashed each time.
 */
export const makeShapes = (): ((some: ReadonlyArray<Sent>) => Shape | undefined) => {
  const first: Known = { after: new Map(), shape: undefined }
  return (some) => {
    if (some.length > most) return undefined
    let known = first
    for (const { text } of some) {
      let next = known.after.get(text)
      if (next === undefined) known.after.set(text, (next = { after: new Map(), shape: undefined }))
      known = next
    }
    if (known.shape === undefined) known.shape = some.every(({ text }) => rowOfValues.test(text)) ? shapeOf(some) : null
    return known.shape ?? undefined
  }
}

const shapeOf = (some: ReadonlyArray<Sent>): Shape => {
  let width = 0
  const parts = some.map(({ text, values }) => {
    const from = width
    width += values.length
    const at = text.lastIndexOf("(")
    return { head: text.slice(0, at), row: text.slice(at), from }
  })
  /** Each of the statements with a row for each write. */
  const madeFor = (writes: number): string => {
    const texts = parts.map(({ from, head, row }) => {
      const rowOf = (write: number) => row.replace(/\$(\d+)/g, (_, n) => `$${write * width + from + Number(n)}`)
      return head + Array.from({ length: writes }, (_, write) => rowOf(write)).join(", ")
    })
    const named = texts.slice(0, -1).map((text, n) => `part_${n} AS (${text})`)
    return named.length === 0 ? texts.join("") : `WITH ${named.join(", ")} ${texts.at(-1)}`
  }
  const texts: Array<string> = []
  return { width, textOf: (writes) => (texts[writes] ??= madeFor(writes)) }
}
