/** Rows as CSV (RFC 4180). Cells that a spreadsheet would read as formulas get a leading apostrophe. */
export const csv = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows].map((cells) => cells.map(quoted).join(",")).join("\r\n")

/** Spreadsheets take full-width signs for the same. */
const formula = /^\s*[=@＝＠]|^[\t\r]|^\s*[-+＋－](?![\d.]+$)/

const quoted = (cell: string) => {
  const safe = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
