/** Aligned columns under a header; without rows, the header alone. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [header, ...rows.map((cells) => cells.map(oneLine))]
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** A name of many lines, or of a terminal's control characters, stays one cell. */
export const oneLine = (cell: string) => cell.replaceAll(/\p{Cc}+/gu, " ")

/** Names and values, one a line; what has no value is left out. */
export const fields = (values: Readonly<Record<string, string | null>>): string => {
  const there = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  const width = Math.max(0, ...there.map(([name]) => name.length))
  return there.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`.trimEnd()).join("\n")
}

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula is marked as text. */
export const csv = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows].map((cells) => cells.map(quoted).join(",")).join("\r\n")

const quoted = (cell: string) => {
  const safe = /^[=@\t\r]|^[+-](?![\d.]+$)/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
