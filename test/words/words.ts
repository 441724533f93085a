import { parseSync, Visitor } from "oxc-parser"
import type { Sources } from "../imports/imports.ts"

/** Pronouns for unnamed persons, where a sentence should name a caller, an operator, a request or a process. */
const pronoun = /\b(whoever|whomever|nobody|somebody|anybody|everybody)\b/i

/**
 * Lines of prose with such pronouns: of pages, comments and strings. A word alone, such as the name of a model, is data.
 *
 * @param withStrings false for tests, whose strings are often data
 */
export const vaguePronouns = (sources: Sources, withStrings = true): ReadonlyArray<string> =>
  [...sources].flatMap(([file, source]) =>
    (file.endsWith(".ts") ? textsOf(file, source, withStrings) : [{ start: 0, value: source }]).flatMap(
      ({ start, value }) =>
        value.split("\n").flatMap((line, index) => {
          const word = pronoun.exec(line)?.[1]
          const at = source.slice(0, start).split("\n").length + index
          return word === undefined ? [] : [`${file}:${at}: says "${word}"`]
        })
    )
  )

/** The comments of a file, and its strings that contain a space. */
const textsOf = (file: string, source: string, withStrings: boolean) => {
  const { comments, program } = parseSync(file, source)
  const texts = comments.map(({ start, value }) => ({ start, value }))
  if (!withStrings) return texts
  const add = ({ end, start }: { readonly end: number; readonly start: number }) => {
    const value = source.slice(start, end)
    if (/ /.test(value.trim())) texts.push({ start, value })
  }
  new Visitor({
    Literal: (literal) => typeof literal.value === "string" && add(literal),
    TemplateElement: add
  }).visit(program)
  return texts
}

/**
 * The comments that begin with a relative clause instead of their subject ("Whether it is open" for "True if it is
 * open"), and the exported types named for their place in a sentence, one line each.
 */
export const vagueWords = (sources: Sources): ReadonlyArray<string> =>
  [...sources].flatMap(([file, source]) => {
    const { comments, program } = parseSync(file, source)
    const lineOf = (offset: number) => source.slice(0, offset).split("\n").length
    const clauses = comments
      .filter(({ start, type, value }, index) => {
        const before = comments[index - 1]
        // A line comment may go on with such a word in its second line.
        const goesOn = type === "Line" && before?.type === "Line" && /^\n *$/.test(source.slice(before.end, start))
        return clause.test(value) && !goesOn
      })
      .map(({ start, value }) => `${file}:${lineOf(start)}: begins with "${clause.exec(value)?.[1] ?? ""}"`)
    const names: Array<string> = []
    const name = (id: { readonly name: string; readonly start: number } | null | undefined) => {
      if (id && vagueNames.has(id.name)) names.push(`${file}:${lineOf(id.start)}: exports a type called ${id.name}`)
    }
    new Visitor({
      ExportNamedDeclaration: ({ declaration, specifiers }) => {
        if (declaration !== null && "id" in declaration && declaration.id?.type === "Identifier") name(declaration.id)
        for (const { exported } of specifiers) if (exported.type === "Identifier") name(exported)
      }
    }).visit(program)
    return [...clauses, ...names]
  })

const clause = /^[*\s]*(What|Whose|Whether|Where|Who)\b/

const vagueNames: ReadonlySet<string> = new Set(["Asked", "Told", "Page", "Turn", "Waiting", "Found", "Kept", "How"])
