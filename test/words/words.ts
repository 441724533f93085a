import { parseSync, Visitor } from "oxc-parser"
import type { Sources } from "../imports/imports.ts"

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
