import { textOf } from "./Snapshot.ts"
import type { Measured, Snapshot } from "./Snapshot.ts"

/** More series than this and the rest is counted together, as `other`: nobody's names can fill the memory. */
const mostSeries = 1_000

/** A number that only rises, or (as a gauge) stands where it was put. */
export class Series {
  value = 0

  add(by: number): void {
    this.value += by
  }
}

/** Observations sorted into buckets; `counts` has one more than there are bounds, for what exceeds them all. */
export class Distribution {
  readonly counts: Float64Array
  readonly #bounds: ReadonlyArray<number>
  sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let bucket = 0
    for (const bound of this.#bounds) {
      if (value <= bound) break
      bucket++
    }
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += value
  }
}

/** A metric as it is counted. */
export interface Labelled<A> {
  /** The series of these label values, in the order of the labels. */
  readonly of: (...values: ReadonlyArray<string>) => A
}

/** What one metric is made of: its series by the values of its labels. */
class Family<A> implements Labelled<A> {
  readonly #series = new Map<string, { readonly values: ReadonlyArray<string>; readonly one: A }>()
  readonly #labels: ReadonlyArray<string>
  readonly #make: () => A
  readonly #most: number

  constructor(labels: ReadonlyArray<string>, make: () => A, most: number) {
    this.#labels = labels
    this.#make = make
    this.#most = most
    if (labels.length === 0) this.of()
  }

  of(...values: ReadonlyArray<string>): A {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\n")
    const known = this.#series.get(key)
    if (known !== undefined) return known.one
    if (this.#series.size >= this.#most && values.some((value) => value !== "other")) {
      return this.of(...values.map(() => "other"))
    }
    const one = this.#make()
    this.#series.set(key, { values, one })
    return one
  }

  /** Each series with its labels as they are written: `model="m",kind="input"`. An empty value is no label. */
  *written(): Generator<readonly [string, A]> {
    for (const { one, values } of this.#series.values()) {
      const written = this.#labels.flatMap((label, index) => {
        const value = values[index] ?? ""
        return value === "" ? [] : [`${label}="${escaped(value)}"`]
      })
      yield [written.join(","), one] as const
    }
  }
}

/** Where metrics are declared. A declaration is made once, at start. */
export class Registry {
  readonly #all: Array<() => Measured> = []

  counter(name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "counter", together: "sum", bounds: [] }, labels)
  }

  /** A counter of the first so many label values; the rest is `other`. */
  counterOfFew(most: number, name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "counter", together: "sum", bounds: [] }, labels, most)
  }

  /** Of several processes: their sum. */
  gauge(name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "gauge", together: "sum", bounds: [] }, labels)
  }

  /** A gauge of which only the highest of several processes' matters. */
  highest(name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "gauge", together: "highest", bounds: [] }, labels)
  }

  histogram(
    name: string,
    help: string,
    bounds: ReadonlyArray<number>,
    ...labels: ReadonlyArray<string>
  ): Labelled<Distribution> {
    const family = new Family(labels, () => new Distribution(bounds), mostSeries)
    this.#add({ name, help, type: "histogram", together: "sum", bounds }, family, ({ counts, sum }) => [...counts, sum])
    return family
  }

  snapshot(): Snapshot {
    return this.#all.map((measured) => measured())
  }

  /** All of it in Prometheus's text format. */
  text(): string {
    return textOf(this.snapshot())
  }

  #numbers(described: Described, labels: ReadonlyArray<string>, most = mostSeries): Family<Series> {
    const family = new Family(labels, () => new Series(), most)
    this.#add(described, family, ({ value }) => [value])
    return family
  }

  #add<A>(described: Described, family: Family<A>, values: (one: A) => ReadonlyArray<number>): void {
    const series = () => Array.from(family.written(), ([labels, one]) => ({ labels, values: values(one) }))
    this.#all.push(() => ({ ...described, series: series() }))
  }
}

type Described = Omit<Measured, "series">

const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
