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
  readonly floor?: number
  readonly most?: number
  /** Failed requests; any fails the row. */
  readonly errors: number
}

export const holds = (row: Row): boolean =>
  row.errors === 0 &&
  (row.floor === undefined || row.compared >= row.floor) &&
  (row.most === undefined || row.compared <= row.most)

const number = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toLocaleString("en", { maximumFractionDigits: 2 })

/** The table as Markdown. */
export const table = (rows: ReadonlyArray<Row>): string =>
  [
    "| promise | measured | gateway | ceiling | compared | promised | errors | |",
    "|---|---|---:|---:|---:|---:|---:|---|",
    ...rows.map((row) => {
      const promised =
        row.floor !== undefined ? `≥ ${number(row.floor)}` : row.most !== undefined ? `≤ ${number(row.most)}` : ""
      const cells = [
        row.promise,
        row.what,
        `${number(row.gateway)} ${row.unit}`,
        row.ceiling === undefined ? "" : `${number(row.ceiling)} ${row.unit}`,
        number(row.compared),
        promised,
        String(row.errors),
        promised === "" ? "" : holds(row) ? "holds" : "**missed**"
      ]
      return `| ${cells.join(" | ")} |`
    })
  ].join("\n")
