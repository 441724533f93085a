import { parseSync, Visitor } from "oxc-parser"
import type { Sources } from "./imports.ts"

/**
 * Where SQL stands that should not, a line each: outside `sql` and the rooms' `store` folders; or with a type for its
 * rows, which is not checked, where they should be decoded (`src/sql/decode.ts`).
 */
export const misplacedSql = (sources: Sources): ReadonlyArray<string> =>
  [...sources].flatMap(([file, source]) => {
    if (file.startsWith("sql/")) return []
    const { asserted, statements } = statementsOf(file, source)
    return [
      ...(statements > 0 && !file.includes("/store/") ? [`${file}: SQL belongs in a store`] : []),
      ...(asserted > 0 ? [`${file}: rows are decoded, not asserted`] : [])
    ]
  })

const statementsOf = (file: string, source: string) => {
  let statements = 0
  let asserted = 0
  const see = (typeArguments: unknown) => {
    statements++
    if (typeArguments) asserted++
  }
  new Visitor({
    TaggedTemplateExpression: ({ tag, typeArguments }) => {
      if (tag.type === "Identifier" && tag.name === "sql") see(typeArguments)
    },
    CallExpression: ({ callee, typeArguments }) => {
      if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier" || callee.object.name !== "sql")
        return
      if (callee.property.type === "Identifier" && callee.property.name === "unsafe") see(typeArguments)
    }
  }).visit(parseSync(file, source).program)
  return { statements, asserted }
}
