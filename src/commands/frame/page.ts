import { wrap } from "./wrap.ts"

/** Help pages are laid out for terminals of eighty columns. */
const width = 80

interface Section {
  readonly title: string
  /** A name and its description. */
  readonly rows: ReadonlyArray<readonly [string, string]>
}

/** The help page of a command. */
export interface HelpPage {
  readonly what: ReadonlyArray<string>
  readonly usage: ReadonlyArray<string>
  readonly sections: ReadonlyArray<Section>
  readonly examples: ReadonlyArray<string>
  readonly footer?: string | undefined
}

/** Lays a page out for a terminal. @param bold renders a title */
export const laidOut = (
  { examples, footer, sections, usage, what }: HelpPage,
  bold: (title: string) => string
): string => {
  const short = sections.flatMap(({ rows }) => rows.map(([name]) => name.length)).filter((it) => it <= longestName)
  const column = Math.max(0, ...short) + 4
  return [
    what.map((line) => wrap(line, width).join("\n")).join("\n"),
    `${bold("Usage:")} ${usage.join("\n       ")}`,
    ...sections
      .filter(({ rows }) => rows.length > 0)
      .map(({ rows, title }) => `${bold(`${title}:`)}\n${columns(rows, column)}`),
    ...(examples.length === 0 ? [] : [`${bold("Examples:")}\n${examples.map(example).join("\n")}`]),
    ...(footer === undefined ? [] : [wrap(footer, width).join("\n")])
  ].join("\n\n")
}

/** Longer names have their description on the next line. */
const longestName = 26

const columns = (rows: Section["rows"], column: number): string =>
  rows
    .flatMap(([name, text]) => {
      const [first = "", ...more] = wrap(text, width - column)
      const indent = " ".repeat(column)
      return name.length > longestName
        ? [`  ${name}`, ...[first, ...more].map((line) => indent + line)]
        : [`${`  ${name}`.padEnd(column)}${first}`.trimEnd(), ...more.map((line) => indent + line)]
    })
    .join("\n")

/** A command on as many lines as it needs, ready to paste. */
const example = (line: string): string => {
  const lines: Array<string> = []
  let current = " "
  for (const part of line.split(/ (?=--)/)) {
    if (current.trim() !== "" && current.length + 1 + part.length > width - 2) {
      lines.push(`${current} \\`)
      current = "     "
    }
    current = `${current} ${part}`
  }
  return [...lines, current].join("\n")
}

/** Renders titles in bold on terminals, unless `NO_COLOR` or `TERM=dumb` is set. */
export const boldOn = (stream: { readonly isTTY?: boolean }): ((title: string) => string) => {
  const { NO_COLOR, TERM } = process.env
  const isPlain = stream.isTTY !== true || (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb"
  return isPlain ? (title) => title : (title) => `\u001B[1m${title}\u001B[0m`
}
