/** More label values than this and the rest is counted together, as `other`: nobody's names can fill the memory. */
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

/** What one metric is made of: its series by the values of its labels. */
class Family<A> {
  readonly #series = new Map<string, { readonly values: ReadonlyArray<string>; readonly one: A }>()
  readonly #labels: ReadonlyArray<string>
  readonly #make: () => A

  constructor(labels: ReadonlyArray<string>, make: () => A) {
    this.#labels = labels
    this.#make = make
    if (labels.length === 0) this.of()
  }

  /** The series of these label values, in the order of the labels. */
  of(...values: ReadonlyArray<string>): A {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\n")
    const known = this.#series.get(key)
    if (known !== undefined) return known.one
    if (this.#series.size >= mostSeries && values.some((value) => value !== "other")) {
      return this.of(...values.map(() => "other"))
    }
    const one = this.#make()
    this.#series.set(key, { values, one })
    return one
  }

  /** Each series with its labels as they are written: `model="m",kind="input"`. */
  *written(): Generator<readonly [string, A]> {
    for (const { one, values } of this.#series.values()) {
      yield [this.#labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`).join(","), one] as const
    }
  }
}

interface Described {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly lines: () => Iterable<string>
}

/** Where metrics are declared, and written out for Prometheus. A declaration is made once, at start. */
export class Registry {
  readonly #all: Array<Described> = []

  counter(name: string, help: string, ...labels: ReadonlyArray<string>): Family<Series> {
    return this.#numbers("counter", name, help, labels)
  }

  gauge(name: string, help: string, ...labels: ReadonlyArray<string>): Family<Series> {
    return this.#numbers("gauge", name, help, labels)
  }

  histogram(
    name: string,
    help: string,
    bounds: ReadonlyArray<number>,
    ...labels: ReadonlyArray<string>
  ): Family<Distribution> {
    const family = new Family(labels, () => new Distribution(bounds))
    this.#all.push({ name, help, type: "histogram", lines: () => histogramLines(name, bounds, family) })
    return family
  }

  /** All of it in the text format 0.0.4. */
  text(): string {
    return this.#all
      .map(({ help, lines, name, type }) => {
        const written = [...lines()]
        return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${written.map((line) => `${line}\n`).join("")}`
      })
      .join("")
  }

  #numbers(type: "counter" | "gauge", name: string, help: string, labels: ReadonlyArray<string>): Family<Series> {
    const family = new Family(labels, () => new Series())
    this.#all.push({ name, help, type, lines: () => numberLines(name, family) })
    return family
  }
}

function* numberLines(name: string, family: Family<Series>) {
  for (const [labels, { value }] of family.written()) yield `${name}${labels === "" ? "" : `{${labels}}`} ${value}`
}

function* histogramLines(name: string, bounds: ReadonlyArray<number>, family: Family<Distribution>) {
  for (const [labels, { counts, sum }] of family.written()) {
    const before = labels === "" ? "" : `${labels},`
    let count = 0
    for (const [index, inBucket] of counts.entries()) {
      count += inBucket
      yield `${name}_bucket{${before}le="${bounds[index] ?? "+Inf"}"} ${count}`
    }
    const own = labels === "" ? "" : `{${labels}}`
    yield `${name}_sum${own} ${sum}`
    yield `${name}_count${own} ${count}`
  }
}

const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
