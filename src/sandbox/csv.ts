/** Describes a CSV by its columns and rows. The first line names the columns. */
export const describeCsv = (text: string): string => {
  const { columns, rows, whole } = readCsv(text.slice(0, mostRead))
  const complete = whole && text.length <= mostRead
  const names = columns.slice(0, mostNamed).join(", ") + (columns.length > mostNamed ? ", …" : "")
  const count = `${complete ? "" : "at least "}${rows} ${rows === 1 ? "row" : "rows"}`
  return `a CSV with ${columns.length} ${columns.length === 1 ? "column" : "columns"} (${names}) and ${count}`
}

/** More would block the event loop. */
const mostRead = 4_000_000
const mostNamed = 12

const readCsv = (text: string) => {
  const separator = separatorOf(text)
  let columns: Array<string> | undefined
  let fields: Array<string> = []
  let field = ""
  let rows = 0
  let quoted = false
  const endLine = () => {
    const empty = fields.length === 0 && field.trim() === ""
    if (columns === undefined && !empty) columns = [...fields, field].map((name) => name.trim())
    else if (!empty) rows++
    fields = []
    field = ""
  }
  // A byte order mark does not belong to the first name.
  for (let i = text.startsWith("\ufeff") ? 1 : 0; i < text.length; i++) {
    const character = text[i]
    if (quoted) {
      if (character !== '"') field += character
      else if (text[i + 1] === '"') {
        field += '"'
        i++
      } else quoted = false
    } else if (character === '"') quoted = true
    else if (character === separator) {
      fields.push(field)
      field = ""
    } else if (character === "\n") endLine()
    else if (character !== "\r") field += character
  }
  const open = quoted
  endLine()
  return { columns: columns ?? [], rows, whole: !open }
}

/** The most frequent of comma, semicolon and tab in the first line. */
const separatorOf = (text: string): string => {
  const line = text.slice(0, text.indexOf("\n") === -1 ? undefined : text.indexOf("\n"))
  const count = (separator: string) => line.split(separator).length
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best))
}
