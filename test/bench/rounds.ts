import { median } from "./load.ts"
import type { Row } from "./Row.ts"
import { pace } from "./setting.ts"

/** What one round measures: figures, and how many answers were wrong. */
type Figures<M> = Readonly<Record<keyof M, number>> & { readonly errors: number }

/** What rounds by turns have shown. */
export interface Rounds<K extends string, M> {
  /** Of each target the medians of its rounds, and all its errors. */
  readonly of: Readonly<Record<K, M>>
  /**
   * The median of the rounds' ratios, one figure of one target to another's: a machine that is slow for half a minute is
   * so for both sides of each round, where two medians might be of different minutes.
   */
  readonly ratio: (own: K, other: K, figure: keyof M) => number
  /** The same for a row, with where it lies with 95 %. */
  readonly compared: (own: K, other: K, figure: keyof M) => Pick<Row, "compared" | "between">
}

/** Measures each target in turn, as often as the pace says. */
export const byTurns = async <K extends string, M extends Figures<M>>(
  targets: Readonly<Record<K, () => Promise<M>>>
): Promise<Rounds<K, M>> => {
  const names = Object.keys(targets) as Array<K>
  const measured = new Map(names.map((name) => [name, [] as Array<M>]))
  for (let round = 0; round < pace.rounds; round++) {
    for (const name of names) measured.get(name)?.push(await targets[name]())
  }
  const all = (name: K, figure: keyof M) => (measured.get(name) ?? []).map((one) => one[figure] as number)
  const medians = (name: K) => {
    const figures = Object.keys(measured.get(name)?.[0] ?? {}) as Array<keyof M>
    const errors = all(name, "errors").reduce((sum, one) => sum + one, 0)
    return { ...Object.fromEntries(figures.map((figure) => [figure, median(all(name, figure))])), errors }
  }
  const ratios = (own: K, other: K, figure: keyof M) => {
    const others = all(other, figure)
    return all(own, figure).map((one, round) => one / (others[round] ?? NaN))
  }
  return {
    of: Object.fromEntries(names.map((name) => [name, medians(name)])) as Record<K, M>,
    ratio: (own, other, figure) => median(ratios(own, other, figure)),
    compared: (own, other, figure) => {
      const each = ratios(own, other, figure)
      return { compared: median(each), between: interval(each) }
    }
  }
}

/** The ranks between which the median of so many independent samples lies with 95 % (binomial). */
export const interval = (ratios: ReadonlyArray<number>): readonly [number, number] => {
  const sorted = ratios.toSorted((a, b) => a - b)
  let low = 0
  let tail = 0
  let choose = 1
  for (let k = 0; k < sorted.length; k++) {
    tail += choose / 2 ** sorted.length
    if (tail > 0.025) break
    low = k + 1
    choose = (choose * (sorted.length - k)) / (k + 1)
  }
  const edge = Math.max(0, low - 1)
  return [sorted[edge] ?? NaN, sorted[sorted.length - 1 - edge] ?? NaN]
}
