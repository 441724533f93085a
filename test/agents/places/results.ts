import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** How a program's loop at a place ended. */
export interface Result {
  readonly agent: string
  readonly package: string
  readonly place: string
  readonly model: string
  readonly context?: number
  readonly turns: number
  readonly refusals: number
  /** The kinds of files that came to the place. */
  readonly files: string
  /** Of the cache marks in the loop's requests those that came to the place; null if none were sent. */
  readonly marks: string | null
  readonly compactions: number
  readonly isEnded: boolean
}

const file = join(import.meta.dirname, "results.json")

export const results = (): ReadonlyArray<Result> => JSON.parse(readFileSync(file, "utf8"))

/** Replaces the result of a cell. */
export const keep = (result: Result): void => {
  const others = results().filter((one) => keyOf(one) !== keyOf(result))
  const all = [...others, result].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))
  writeFileSync(file, `[\n${all.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]\n`)
}

const keyOf = ({ agent, context = 0, model, place }: Result) => `${agent} ${place} ${model} ${context}`
