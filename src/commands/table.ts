import { visible } from "../contract/text/visible.ts"
import { wrap } from "./frame/wrap.ts"

/** The space between columns. */
const gap = "  "

/** The least width of cells with several words. */
const readable = 10

/**
 * Aligned columns under a header; numbers are right-aligned. In a narrow terminal, empty and all-zero columns are left out
 * and cells with several words are wrapped; if that is not enough, each row becomes a list of fields.
 *
 * @param width the terminal's width in columns; undefined prints each row on one line
 */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number | undefined = terminalWidth()
): string => {
  const all = [header, ...rows.map((cells) => cells.map(oneLine))]
  const widths = fitted(all, header.length, width)
  if (width === undefined || rows.length === 0 || rowWidth(widths) <= width) return laidOut(all, widths)
  const used = header.flatMap((_, column) => (rows.some((cells) => !isEmpty(cells[column])) ? [column] : []))
  const some = chosen(all, used)
  const narrower = fitted(some, used.length, width)
  if (rowWidth(narrower) <= width) return laidOut(some, narrower)
  const names = header.map((name) => name.toLowerCase())
  return rows
    .map((cells) => fields(Object.fromEntries(names.map((name, column) => [name, cells[column] || null]))))
    .join("\n\n")
}

/** How a list is shown. */
interface ListOptions {
  /** The columns of ids, which are shortened first in a narrow terminal. */
  readonly ids?: ReadonlyArray<string>
  /** The columns that answer the list's question, which are wrapped rather than cut. */
  readonly answers?: ReadonlyArray<string>
  /** The columns that are left out in a narrow terminal, the first ones first. */
  readonly rare: ReadonlyArray<string>
  /** True to show every column on however long a line. */
  readonly wide: boolean
  readonly width?: number | undefined
}

/**
 * A list with one line for each row. In a narrow terminal, empty columns are left out, ids shortened, and then rare columns
 * left out, which a last line tells; cells with several words are cut if that is not enough, and answers wrapped.
 */
export const listTable = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { answers = [], ids = [], rare, wide, width = terminalWidth() }: ListOptions
): string => {
  if (wide || width === undefined || rows.length === 0) return table(header, rows, undefined)
  const whole = [header, ...rows.map((cells) => cells.map(oneLine))]
  const isId = header.map((name) => ids.includes(name))
  const short = whole.map((cells) => cells.map((cell, column) => (isId[column] === true ? shortId(cell) : cell)))
  const isUsed = (column: number) => rows.some((cells) => !isEmpty(cells[column]))
  const every = header.map((_, column) => column)
  const choices = [
    { all: whole, columns: every },
    { all: whole, columns: every.filter(isUsed) },
    ...[[], ...rare.map((_, count) => rare.slice(0, count + 1))].map((left) => ({
      all: short,
      columns: every.filter((column) => isUsed(column) && !left.includes(header[column] ?? ""))
    }))
  ]
  const fits = ({ all, columns }: (typeof choices)[number]) =>
    rowWidth(fitted(chosen(all, columns), columns.length, undefined)) <= width
  const { all, columns } = choices.find(fits) ?? choices.at(-1) ?? { all: short, columns: every }
  const some = chosen(all, columns)
  const widths = fitted(some, columns.length, width, (cell) => isWhole(cell) || header.includes(cell))
  const isAnswer = columns.map((column) => answers.includes(header[column] ?? ""))
  const cut = some.map((cells) =>
    cells.map((cell, column) => (isAnswer[column] === true ? cell : shorten(cell, widths[column] ?? 0)))
  )
  const hidden = header.filter((_, column) => !columns.includes(column) && isUsed(column))
  const isShort =
    all === short && columns.some((column) => short.some((cells, row) => cells[column] !== whole[row]?.[column]))
  const left = [...(isShort ? ["whole ids"] : []), ...hidden]
  const more = left.length === 0 ? [] : ["", ...wrap(`--wide shows ${left.join(", ")} too`, width)]
  return [laidOut(cut, widths), ...more].join("\n")
}

/** The name of `name (key_0123456789abcdef)`; of an id alone its kind and its end, as `key_…89abcdef`. */
const shortId = (cell: string): string => {
  const name = /^(.+) \([a-z]+[_-][\w-]+\)$/.exec(cell)?.[1]
  if (name !== undefined) return name
  const [, kind, rest] = /^([a-z]+[_-])([\w-]+)$/.exec(cell) ?? []
  return kind === undefined || rest === undefined || rest.length <= idEnd + 1 ? cell : `${kind}…${rest.slice(-idEnd)}`
}

/** Characters of an id's end that tell it from others. */
const idEnd = 6

/** True for a cell that is not cut: an id, or one amount, of which a part would be another amount. */
const isWhole = (cell: string): boolean => /^\S*$/.test(cell) || (/^-?\$?\d/.test(cell) && !cell.includes(", "))

/** Columns of the terminal; undefined if there is none. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined)

const chosen = (all: ReadonlyArray<ReadonlyArray<string>>, columns: ReadonlyArray<number>) =>
  all.map((cells) => columns.map((column) => cells[column] ?? ""))

/** A text that ends with an ellipsis if it is wider. */
export const shorten = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let short = text
  while (widthOf(short) >= width) short = short.slice(0, -1)
  return `${short.trimEnd()}…`
}

const isEmpty = (cell: string | undefined): boolean => cell === undefined || /^(|0|\$0\.00)$/.test(cell)

const rowWidth = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, one) => sum + one + gap.length, -gap.length)

const laidOut = (all: ReadonlyArray<ReadonlyArray<string>>, widths: ReadonlyArray<number>): string => {
  const [header = [], ...rows] = all
  const isNumeric = header.map(
    (_, column) =>
      rows.length > 0 && rows.every((cells) => /^(-?\$?-?[\d.,]+( [a-z%]+)?|free)?$/.test(cells[column] ?? ""))
  )
  return all
    .flatMap((cells) => {
      const broken = cells.map((cell, column) => wrap(cell, widths[column] ?? 0))
      const height = Math.max(...broken.map((lines) => lines.length))
      return Array.from({ length: height }, (_, line) =>
        broken
          .map((lines, column) => padded(lines[line] ?? "", widths[column] ?? 0, isNumeric[column] === true))
          .join(gap)
          .trimEnd()
      )
    })
    .join("\n")
}

/** Column widths: those of the widest cells, then the widest columns shrink until a row fits, down to what stays whole. */
const fitted = (
  all: ReadonlyArray<ReadonlyArray<string>>,
  columns: number,
  width: number | undefined,
  isWhole?: (cell: string) => boolean
) => {
  const most = (measure: (cell: string) => number) =>
    Array.from({ length: columns }, (_, column) => Math.max(...all.map((cells) => measure(cells[column] ?? ""))))
  const widths = most(widthOf)
  if (width === undefined) return widths
  // Columns of one word a line are unreadable.
  const least = most((cell) => {
    if (isWhole?.(cell) === true) return widthOf(cell)
    const words = isWhole === undefined ? cell.split(" ").map(widthOf) : []
    return Math.max(Math.min(widthOf(cell), readable), ...words)
  })
  let over = rowWidth(widths) - width
  while (over-- > 0) {
    const room = widths.map((one, column) => (one > (least[column] ?? 0) ? one : 0))
    const widest = room.indexOf(Math.max(...room))
    if ((room[widest] ?? 0) === 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** The width in terminal columns: East Asian letters take two, combining marks none. */
const widthOf = (text: string): number => Bun.stringWidth(text)

const padded = (text: string, width: number, isNumeric: boolean): string => {
  const space = " ".repeat(Math.max(0, width - widthOf(text)))
  return isNumeric ? space + text : text + space
}

/** Escapes line breaks and control characters, so that any text stays in its cell. */
export const oneLine = visible

/**
 * Names and values, one a line, without null values and empty lists. Each value of a list has a line; longer ones are
 * wrapped to the terminal.
 */
export const fields = (
  values: Readonly<Record<string, string | ReadonlyArray<string> | null>>,
  columns: number | undefined = terminalWidth()
): string => {
  const there = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  const width = Math.max(0, ...there.map(([name]) => name.length))
  return there
    .flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value)
        .flatMap((line) =>
          columns === undefined ? [oneLine(line)] : wrap(oneLine(line), columns - width - gap.length)
        )
        .map((line, index) => `${(index === 0 ? name : "").padEnd(width)}${gap}${line}`.trimEnd())
    )
    .join("\n")
}

/** Adds thousands separators to a whole number. */
export const withSeparators = (text: string): string =>
  /^\d{4,}$/.test(text) ? Number(text).toLocaleString("en") : text
