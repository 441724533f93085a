export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** A write whose statements can be combined into one, whatever their values are. */
export interface Shape {
  /** How many values one such write has. */
  readonly width: number
  /** One statement that is so many of these writes; their values follow one another. */
  readonly textOf: (writes: number) => string
}

/** Statements that begin alike, step by step. */
interface Known {
  readonly after: Map<string, Known>
  /** Null where they can't be one. */
  shape: Shape | null | undefined
}

/** Rows of values and nothing else: what they do neither reads nor ends what another one of them has done. */
const rowOfValues = /^INSERT INTO \w+ \([^()]*\)\s+VALUES\s*\((\$\d+[, ]*)+\)$/
/** Statements of a shape: each number of them is a text that is kept. */
const most = 16

/** Finds what statements are as one, or undefined where they can't be. Texts that are known have their hash, one that is put together has none. */
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
