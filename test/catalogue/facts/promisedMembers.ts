import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { isJsonObject } from "../../../src/contract/fields.ts"

const { resolve } = createRequire(import.meta.url)

/** The required members of the types in a client's declarations, by type: name and written type. */
const typesIn = (client: string): ReadonlyMap<string, ReadonlyArray<readonly [name: string, type: string]>> => {
  const root = dirname(resolve(`${client}/package.json`))
  const text = readFileSync(join(root, "resources", "models.d.ts"), "utf8").replace(/\/\*[^]*?\*\//g, "")
  return new Map(
    [...text.matchAll(/^export interface (\w+) \{\n([^]*?)^\}/gm)].map(([, name = "", body = ""]) => [
      name,
      [...body.matchAll(/^ {4}(\w+): (.*);$/gm)].map(([, member = "", type = ""]) => [member, type] as const)
    ])
  )
}

/** The paths of members that a client's type promises and a value lacks: each that is `undefined`, or null against its type. */
export const missingMembers = (client: string, type: string, value: unknown): ReadonlyArray<string> => {
  const types = typesIn(client)
  const within = (name: string, at: unknown, path: string): ReadonlyArray<string> =>
    (types.get(name) ?? []).flatMap(([member, written]) => {
      const found = isJsonObject(at) ? at[member] : undefined
      const here = path === "" ? member : `${path}.${member}`
      if (found === undefined || (found === null && !written.includes("null"))) return [here]
      const inner = written.replace(" | null", "")
      return found === null ? [] : within(inner, found, here)
    })
  if ((types.get(type)?.length ?? 0) === 0) throw new Error(`${client} declares no ${type}`)
  return within(type, value, "")
}
