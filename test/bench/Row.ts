/** One line of the table: what was measured, what a bare server reached in the same run, and what is promised. */
export interface Row {
  /** `P1` … `P7` of the promises. */
  readonly promise: string
  readonly what: string
  readonly gateway: number
  /** The ceiling in the same unit; undefined where there is none. */
  readonly ceiling: number | undefined
  readonly unit: string
  /** What `--check` compares: a ratio to the ceiling, or the figure itself. */
  readonly compared: number
  /** Where that lies with 95 %, by what the rounds differ: told, and not judged by. */
  readonly between?: readonly [number, number]
  readonly floor?: number
  readonly most?: number
  /**
   * What was reached where the promise is out of reach so far (docs/internals/lab-notes.md says why): `--check` fails below it,
   * and the table says that the promise is not kept.
   */
  readonly reached?: number
  /** Failed requests; any fails the row. */
  readonly errors: number
}

/** Whether a row keeps its promise, at least keeps what was reached, or neither. */
const verdict = ({ compared, errors, floor, most, reached }: Row): "holds" | "short" | "missed" => {
  const within = (floor: number | undefined, most: number | undefined) =>
    errors === 0 && (floor === undefined || compared >= floor) && (most === undefined || compared <= most)
  if (within(floor, most)) return "holds"
  if (reached === undefined) return "missed"
  return within(floor === undefined ? undefined : reached, most === undefined ? undefined : reached)
    ? "short"
    : "missed"
}

/** Whether `--check` lets a row pass. */
export const passes = (row: Row): boolean => verdict(row) !== "missed"

const number = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toLocaleString("en", { maximumFractionDigits: 2 })

/** The table as Markdown. */
export const table = (rows: ReadonlyArray<Row>): string =>
  [
    "| promise | measured | gateway | ceiling | compared | promised | errors | |",
    "|---|---|---:|---:|---:|---:|---:|---|",
    ...rows.map((row) => {
      const sign = row.floor === undefined ? "≤" : "≥"
      const bound = row.floor ?? row.most
      const promised = bound === undefined ? "" : `${sign} ${number(bound)}`
      const words = {
        holds: "holds",
        short: `**short**, checked: ${sign} ${number(row.reached ?? 0)}`,
        missed: "**missed**"
      }
      const cells = [
        row.promise,
        row.what,
        `${number(row.gateway)} ${row.unit}`,
        row.ceiling === undefined ? "" : `${number(row.ceiling)} ${row.unit}`,
        row.between === undefined
          ? number(row.compared)
          : `${number(row.compared)} (${row.between.map(number).join("–")})`,
        promised,
        String(row.errors),
        promised === "" ? "" : words[verdict(row)]
      ]
      return `| ${cells.join(" | ")} |`
    })
  ].join("\n")
