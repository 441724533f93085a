import { mapInTurns } from "../../flow/inTurns.ts"

/** Rows as CSV (RFC 4180). Cells that a spreadsheet would read as formulas get a leading apostrophe. */
export const csv = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows].map(lineOf).join("\r\n")

/** The same for any number of rows, with turns of the event loop in between. */
export const csvInTurns = async <Row>(
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<Row>,
  cells: (row: Row) => ReadonlyArray<string>
): Promise<string> => [lineOf(header), ...(await mapInTurns(rows, (row) => lineOf(cells(row))))].join("\r\n")

const lineOf = (cells: ReadonlyArray<string>): string => cells.map(quoted).join(",")

/** Spreadsheets take full-width signs for the same. */
const formula = /^\s*[=@＝＠]|^[\t\r]|^\s*[-+＋－](?![\d.]+$)/

const quoted = (cell: string) => {
  const safe = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
