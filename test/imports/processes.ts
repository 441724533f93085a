import { dirname, join, normalize } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import type { Sources } from "./imports.ts"

/** The tests that start a gateway in a process of its own (`startGateway` of `e2e/process.ts`), by themselves or by a file that they import. */
export const testsOfProcesses = (sources: Sources): ReadonlyArray<string> => {
  const imports = new Map([...sources].map(([file, text]) => [file, valuesOf(file, text)] as const))
  const starting = new Set(
    [...imports].filter(([, names]) => names.includes("e2e/process.ts startGateway")).map(([file]) => file)
  )
  for (const file of starting)
    for (const [other, names] of imports) if (names.some((name) => name.startsWith(`${file} `))) starting.add(other)
  return [...starting].filter((file) => file.endsWith(".test.ts")).sort()
}

/** What a file imports other than types, as `file name`. */
const valuesOf = (file: string, text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  new Visitor({
    ImportDeclaration: ({ importKind, source, specifiers }) => {
      if (importKind === "type" || !source.value.startsWith(".")) return
      const from = normalize(join(dirname(file), source.value))
      for (const one of specifiers) {
        if (one.type !== "ImportSpecifier") found.push(`${from} *`)
        else if (one.importKind !== "type" && one.imported.type === "Identifier")
          found.push(`${from} ${one.imported.name}`)
      }
    }
  }).visit(parseSync(file, text).program)
  return found
}
