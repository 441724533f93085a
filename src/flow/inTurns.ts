import { ownTurn } from "./eventLoop.ts"

/** The longest that long work keeps the event loop, in ms. */
const turnMs = 4
/** Items that are sorted at once: less than a millisecond. */
const atOnce = 1_000
/** Merged items between two looks at the clock. */
const lookEvery = 128

/** Long work of the processor. `next` waits for another turn of the event loop, which is due where `isOver`. */
class Work {
  #begunAt = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#begunAt > turnMs
  }

  async next(): Promise<void> {
    await ownTurn()
    this.#begunAt = performance.now()
  }
}

/** Maps any number of items, with turns of the event loop in between. */
export const mapInTurns = async <A, B>(items: ReadonlyArray<A>, map: (item: A) => B): Promise<ReadonlyArray<B>> => {
  const work = new Work()
  const made: Array<B> = []
  for (const item of items) {
    if (work.isOver) await work.next()
    made.push(map(item))
  }
  return made
}

/** Sorts any number of items, with turns of the event loop in between. */
export const sortInTurns = async <A extends object>(
  items: ReadonlyArray<A>,
  compare: (one: A, other: A) => number
): Promise<ReadonlyArray<A>> => {
  const work = new Work()
  let runs: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < items.length; at += atOnce) {
    if (work.isOver) await work.next()
    runs.push(items.slice(at, at + atOnce).toSorted(compare))
  }
  while (runs.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeInTurns(work, runs[at] ?? [], runs[at + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

const mergeInTurns = async <A extends object>(
  work: Work,
  one: ReadonlyArray<A>,
  other: ReadonlyArray<A>,
  compare: (one: A, other: A) => number
): Promise<ReadonlyArray<A>> => {
  const merged: Array<A> = []
  for (let [left, right] = [0, 0]; ;) {
    if (merged.length % lookEvery === 0 && work.isOver) await work.next()
    const [first, second] = [one[left], other[right]]
    // Of equal items, the earlier one first.
    const next = second === undefined || (first !== undefined && compare(first, second) <= 0) ? first : second
    if (next === undefined) return merged
    merged.push(next)
    if (next === first) left++
    else right++
  }
}

/** The JSON of an object, whose long lists are written with turns of the event loop in between. */
export const jsonInTurns = async (value: Readonly<Record<string, unknown>>): Promise<string> => {
  const fields = await mapInTurns(Object.entries(value), ([name, field]) => [JSON.stringify(name), field] as const)
  const parts: Array<string> = []
  for (const [name, field] of fields) {
    if (field === undefined) continue
    if (Array.isArray(field)) {
      const rows = await mapInTurns(field, (row) => JSON.stringify(row) ?? "null")
      parts.push(`${name}:[${rows.join(",")}]`)
    } else parts.push(`${name}:${JSON.stringify(field)}`)
  }
  return `{${parts.join(",")}}`
}
