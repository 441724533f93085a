import { textOf } from "./Snapshot.ts"
import type { Measured, Snapshot } from "./Snapshot.ts"

/** The most series of a metric; further label values count as `other`, which bounds memory. */
const mostSeries = 1_000

/** The value of a counter or a gauge. */
export class Series {
  value = 0

  add(by: number): void {
    this.value += by
  }
}

/** Observations in buckets; the last of `counts` is for values beyond all bounds. */
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

/** A metric with labels. */
export interface Labelled<A> {
  /** The series of these label values, given in the labels' order. */
  readonly of: (...values: ReadonlyArray<string>) => A
}

/** One metric's series by label values. */
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

  /** Each series with its formatted labels: `model="m",kind="input"`. Empty values are left out. */
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

/** Declares metrics, once, at start. */
export class Registry {
  readonly #all: Array<() => Measured> = []

  counter(name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "counter", together: "sum", bounds: [] }, labels)
  }

  /** A counter of the first `most` label values; the rest is `other`. */
  counterOfFew(most: number, name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "counter", together: "sum", bounds: [] }, labels, most)
  }

  /** A gauge; several processes' values are added. */
  gauge(name: string, help: string, ...labels: ReadonlyArray<string>): Labelled<Series> {
    return this.#numbers({ name, help, type: "gauge", together: "sum", bounds: [] }, labels)
  }

  /** A gauge; of several processes' values the highest counts. */
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

  /** All metrics in Prometheus's text format. */
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
