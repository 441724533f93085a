import { Record, Struct } from "effect"
import { measures } from "./measureTable.ts"
import type { MeasuredTable, Row } from "./measureTable.ts"

type Measures = typeof measures
/** A measure, by its column. */
export type Measure = keyof Measures
type Where<Some> = { [M in Measure]: Measures[M] extends Some ? M : never }[Measure]
type RareMeasure = Where<{ readonly isRare: true }>

/** A measure that is priced by the piece. */
export type PieceMeasure = Where<{ readonly price: string }>

/** The measures of a table. */
export type MeasureIn<Table extends MeasuredTable> = {
  [M in Measure]: Table extends Measures[M]["tables"][number] ? M : never
}[Measure]

/**
 * The use of a request. The kinds do not overlap, except that a part is in the count that it is a part of. The whole input
 * is `inputOf`.
 */
export type Counts = { readonly [M in Exclude<Measure, RareMeasure> as Measures[M]["name"]]: number } & {
  readonly [M in RareMeasure as Measures[M]["name"]]?: number
}

/** All measures, in order. */
export const allMeasures: ReadonlyArray<Measure> = Struct.keys(measures)

/** A measure's row, with the members that some rows lack. */
export const rowOf = (measure: Measure): Row & Pick<Measures[Measure], "name"> => measures[measure]

const isPiece = (measure: Measure): measure is PieceMeasure => "price" in measures[measure]
/** The measures that are priced by the piece. */
export const pieceMeasures: ReadonlyArray<PieceMeasure> = allMeasures.filter(isPiece)
export const isPieceMeasure = (name: string): name is PieceMeasure => pieceMeasures.some((one) => one === name)

/** Names of those that are read, whose count is known before the answer. */
export const readPieces = pieceMeasures.filter((one) => "isRead" in measures[one]).map((one) => measures[one].name)

/** Counts of pieces. */
export type PieceCounts = Partial<Pick<Counts, Measures[PieceMeasure]["name"]>>

/** The pieces among counts. */
export const piecesOf = (counts: PieceCounts): PieceCounts =>
  Struct.pick(counts, ...pieceMeasures.map((one) => measures[one].name))

/** The measures of a table, in order. */
export const measuresIn = <Table extends MeasuredTable>(table: Table): ReadonlyArray<MeasureIn<Table>> =>
  allMeasures.filter((measure): measure is MeasureIn<Table> => rowOf(measure).tables.includes(table))

type LaterMeasure = Where<{ readonly isLater: true }>

/** The measures of a table that stand where they always stood in exports. */
export const firstMeasuresIn = <Table extends MeasuredTable>(
  table: Table
): ReadonlyArray<Exclude<MeasureIn<Table>, LaterMeasure>> =>
  measuresIn(table).filter((one): one is Exclude<MeasureIn<Table>, LaterMeasure> => !("isLater" in measures[one]))

/** The others, which stand at the end. */
export const laterMeasuresIn = <Table extends MeasuredTable>(
  table: Table
): ReadonlyArray<Extract<MeasureIn<Table>, LaterMeasure>> =>
  measuresIn(table).filter((one): one is Extract<MeasureIn<Table>, LaterMeasure> => "isLater" in measures[one])

type RowMeasure = Exclude<Measure, MeasureIn<"usage_days">>
/** The measures of single requests, which are not summed. */
export const rowMeasures = allMeasures.filter((one): one is RowMeasure => !rowOf(one).tables.includes("usage_days"))

interface Reader {
  readonly name: Measures[Measure]["name"]
  readonly whole: Measures[Exclude<Measure, RareMeasure>]["name"] | undefined
}

const readers: Readonly<Record<Measure, Reader>> = Record.map(measures, (row) => ({
  name: row.name,
  whole: "part" in row && "isRare" in row ? row.part.of : undefined
}))

const read = (counts: Counts, { name, whole }: Reader): number => {
  const count = counts[name] ?? 0
  return whole === undefined ? count : Math.min(count, counts[whole])
}

/** A request's count. An absent one is 0; a rare part is at most its whole, which may arrive later. */
export const countOf = (counts: Counts, measure: Measure): number => read(counts, readers[measure])

/** Counts of all measures. Zeros of rare ones are left out. */
export const countsBy = (of: (measure: Measure) => number): Counts => {
  const counts: { -readonly [Name in keyof Counts]: Counts[Name] } = { ...noCounts }
  for (const measure of allMeasures) {
    const { name } = measures[measure]
    const count = of(measure)
    if (count !== 0 || name in noCounts) counts[name] = count
  }
  return counts
}

export const noCounts: Counts = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  searches: 0
}

const zeros = Record.map(measures, () => 0)

/** The columns of each table, all 0. */
export const noColumns = {
  usage: Struct.pick(zeros, ...measuresIn("usage")),
  usage_days: Struct.pick(zeros, ...measuresIn("usage_days")),
  usage_hours: Struct.pick(zeros, ...measuresIn("usage_hours")),
  requests: Struct.pick(zeros, ...measuresIn("requests")),
  request_details: Struct.pick(zeros, ...measuresIn("request_details"))
}

/** A function that finds the counts of some measures that are not 0. */
export const nonZero =
  <M extends Measure>(some: ReadonlyArray<M>) =>
  (counts: Counts): Partial<Record<M, number>> => {
    const found: Partial<Record<M, number>> = {}
    for (const measure of some) {
      const count = countOf(counts, measure)
      if (count !== 0) found[measure] = count
    }
    return found
  }

/** A function that makes the columns of a table of a request's counts. @param nothing of `noColumns` */
export const columnsOf = <M extends Measure>(nothing: Readonly<Record<M, number>>) => {
  const columns = Struct.keys(nothing).map((measure) => [measure, readers[measure]] as const)
  return (counts: Counts | undefined): Record<M, number> => {
    // Every request has a row: by `Record.map` or its entries this costs four times as much.
    const found: Record<M, number> = { ...nothing }
    if (counts !== undefined) for (const [measure, reader] of columns) found[measure] = read(counts, reader)
    return found
  }
}

type InputMeasure = Exclude<Where<{ readonly kind: "input" | "read" | "written" }>, Where<{ readonly part: object }>>
/** The measures that the whole input is the sum of. */
export const inputMeasures = allMeasures.filter((measure): measure is InputMeasure => {
  const row = measures[measure]
  return !("part" in row) && (row.kind === "input" || row.kind === "read" || row.kind === "written")
})
const inputNames = inputMeasures.map((measure) => measures[measure].name)

/** The whole input of a request. */
export const inputOf = (counts: Pick<Counts, Measures[InputMeasure]["name"]>): number => {
  let sum = 0
  for (const name of inputNames) sum += counts[name]
  return sum
}

/** The whole input of a row or a record. */
export const inputIn = (row: Readonly<Record<InputMeasure, number>>): number =>
  inputMeasures.reduce((sum, measure) => sum + row[measure], 0)
