import { parseSync } from "oxc-parser"

/**
 * Each `Map` and `Set` that is deleted from, as `file name`. One that lives long keeps alive what was deleted from it, and
 * all that this reaches, until a full collection: where requests, streams or tasks come and go there are `Named` and
 * `Members` (`src/flow`) instead.
 */
export const collectionsThatForget = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...sources].flatMap(([file, text]) => {
    if (!/new (Map|Set)\b/.test(text) || !text.includes(".delete(")) return []
    const made = new Set<string>()
    const emptied = new Set<string>()
    visit(parseSync(file, text).program.body, (node) => {
      const { callee, id, init, key, value } = node
      if (node.type === "VariableDeclarator" && isCollection(init)) made.add(nameOf(id))
      if (node.type === "PropertyDefinition" && isCollection(value)) made.add(nameOf(key))
      if (node.type === "CallExpression" && isNode(callee) && nameOf(callee) === "delete")
        emptied.add(nameOf(callee["object"]))
    })
    return [...made].filter((name) => emptied.has(name)).map((name) => `${file} ${name}`)
  })

export interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const visit = (value: unknown, look: (node: Node) => void): void => {
  if (Array.isArray(value)) for (const one of value) visit(one, look)
  if (!isNode(value)) return
  look(value)
  for (const field of Object.values(value)) visit(field, look)
}

const isCollection = (value: unknown): boolean =>
  isNode(value) && value.type === "NewExpression" && /^(Map|Set)$/.test(nameOf(value["callee"]))

/** Of a name, or the last one of `this.name`. */
const nameOf = (value: unknown): string => {
  if (!isNode(value)) return ""
  if (value.type === "MemberExpression") return nameOf(value["property"])
  return typeof value["name"] === "string" ? value["name"] : ""
}
