import type { HelpDoc } from "@effect/cli"
import type { Span } from "@effect/cli/HelpDoc/Span"

/** A command's help, by part. */
export interface Described {
  readonly what: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  /** Arguments, such as `NAME`, with their descriptions. */
  readonly args: ReadonlyArray<readonly [string, string]>
  /** Options with their values, such as `--limit N`, and their descriptions. */
  readonly options: ReadonlyArray<readonly [string, string]>
}

const examplesBelow = "Examples:"

/** Reads the library's help document: lists under headings, whose entries begin with the type's own explanation. */
export const readHelp = (doc: HelpDoc.HelpDoc): Described => {
  const under = sections(doc)
  const paragraphs = (under.get("DESCRIPTION") ?? []).flatMap((part) =>
    part._tag === "Paragraph" ? [textOf(part.value)] : []
  )
  const at = paragraphs.indexOf(examplesBelow)
  return {
    what: at === -1 ? paragraphs : paragraphs.slice(0, at),
    examples: at === -1 ? [] : paragraphs.slice(at + 1).map((line) => line.trim()),
    args: entries(under.get("ARGUMENTS"), argument),
    options: entries(under.get("OPTIONS"), option)
  }
}

/** A document as one line of plain text. */
export const plain = (doc: HelpDoc.HelpDoc): string =>
  flat(doc)
    .map((part) => (part._tag === "Paragraph" || part._tag === "Header" ? textOf(part.value) : ""))
    .filter((text) => text !== "")
    .join(" ")

const flat = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...flat(doc.left), ...flat(doc.right)] : [doc]

const sections = (doc: HelpDoc.HelpDoc) => {
  const byTitle = new Map<string, Array<HelpDoc.HelpDoc>>()
  let current: Array<HelpDoc.HelpDoc> = []
  for (const part of flat(doc)) {
    if (part._tag === "Header") byTitle.set(textOf(part.value), (current = []))
    else current.push(part)
  }
  return byTitle
}

const entries = (parts: ReadonlyArray<HelpDoc.HelpDoc> = [], name: (span: string, isOptional: boolean) => string) =>
  parts.flatMap((part) =>
    part._tag === "DescriptionList"
      ? part.definitions.map(([span, about]): readonly [string, string] => {
          const [, description, ...more] = flat(about).map(plain)
          const isOptional = more.some((line) => line.startsWith("This setting is optional"))
          return [name(textOf(span), isOptional), description ?? ""]
        })
      : []
  )

const textOf = (span: Span): string => {
  switch (span._tag) {
    case "Sequence":
      return textOf(span.left) + textOf(span.right)
    case "Text":
    case "URI":
      return span.value
    default:
      return textOf(span.value)
  }
}

const argument = (span: string, isOptional: boolean): string => {
  const name = span.replaceAll(/<([^<>]*)>/g, (_, name: string) => name.toUpperCase())
  return isOptional ? `[${name}]` : name
}

/** `--by day | model` becomes `--by day|model`, and a type of value a placeholder. */
const option = (span: string): string => {
  const isMany = span.endsWith("...")
  const [name = span, ...values] = (isMany ? span.slice(0, -3) : span).split(" ")
  const value = values.join(" ")
  const placeholder = value === "text" ? "TEXT" : value === "integer" ? "N" : value.replaceAll(" | ", "|")
  return `${name}${placeholder === "" ? "" : ` ${placeholder}`}${isMany ? " …" : ""}`
}
