import { Schema } from "effect"

/** One process's metric with all its series. */
const Measured = Schema.Struct({
  name: Schema.String,
  help: Schema.String,
  type: Schema.Literal("counter", "gauge", "histogram"),
  /** How values of several processes combine. */
  together: Schema.Literal("sum", "highest"),
  /** A histogram's upper bounds of buckets; the last bucket has none. */
  bounds: Schema.Array(Schema.Number),
  /** `values`: one number, or a histogram's counts by bucket and then their sum. `labels`: `model="m",kind="input"`. */
  series: Schema.Array(Schema.Struct({ labels: Schema.String, values: Schema.Array(Schema.Number) }))
})
export type Measured = typeof Measured.Type

/** One process's metrics at one moment. */
export const Snapshot = Schema.Array(Measured)
export type Snapshot = typeof Snapshot.Type

/** Combines several processes' metrics. The first process that has a metric defines its type and help. */
export const together = (all: ReadonlyArray<Snapshot>): Snapshot => {
  const merged = new Map<string, { readonly measured: Measured; readonly series: Map<string, ReadonlyArray<number>> }>()
  for (const measured of all.flat()) {
    let one = merged.get(measured.name)
    if (one === undefined) merged.set(measured.name, (one = { measured, series: new Map() }))
    const add = one.measured.together === "sum" ? sum : highest
    for (const { labels, values } of measured.series) {
      const before = one.series.get(labels)
      one.series.set(labels, before === undefined ? values : add(before, values))
    }
  }
  return [...merged.values()].map(({ measured, series }) => ({
    ...measured,
    series: [...series].map(([labels, values]) => ({ labels, values }))
  }))
}

const sum = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) =>
  one.map((value, index) => value + (other[index] ?? 0))
const highest = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) =>
  one.map((value, index) => Math.max(value, other[index] ?? value))

/** The metrics that still count after their process has ended: all but gauges. */
export const lastingMetrics = (snapshot: Snapshot): Snapshot => snapshot.filter(({ type }) => type !== "gauge")

/** Prometheus's text format 0.0.4. */
export const textOf = (snapshot: Snapshot): string =>
  snapshot
    .map((measured) => {
      const { help, name, series, type } = measured
      const lines = series.flatMap(({ labels, values }) =>
        type === "histogram" ? histogramLines(measured, labels, values) : numberLine(name, labels, values[0] ?? 0)
      )
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join("")}`
    })
    .join("")

const numberLine = (name: string, labels: string, value: number) => [`${name}${brace(labels)} ${value}`]

const histogramLines = ({ bounds, name }: Measured, labels: string, values: ReadonlyArray<number>) => {
  const before = labels === "" ? "" : `${labels},`
  const counts = values.slice(0, bounds.length + 1)
  let count = 0
  const buckets = counts.map((inBucket, index) => {
    count += inBucket
    return `${name}_bucket{${before}le="${bounds[index] ?? "+Inf"}"} ${count}`
  })
  return [...buckets, `${name}_sum${brace(labels)} ${values.at(-1) ?? 0}`, `${name}_count${brace(labels)} ${count}`]
}

const brace = (labels: string) => (labels === "" ? "" : `{${labels}}`)
