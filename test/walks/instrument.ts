import { parseSync } from "oxc-parser"
import { isNode } from "../imports/collections.ts"
import type { Node } from "../imports/collections.ts"

/** A call put at the beginning of a function's body. `offset` is in UTF-16 units. */
interface Insertion {
  readonly offset: number
  readonly text: string
}

/**
 * TypeScript whose functions say that they are entered: `walked(n)`, where `n` is what `numbered` gives for the function's
 * name. A function without a name has that of the one around it, and a `›`.
 */
export const instrumented = (file: string, source: string, numbered: (name: string) => number): string => {
  const insertions: Array<Insertion> = []

  const enter = (body: Node, name: string) => {
    const call = `walked(${numbered(`${file}:${name}`)})`
    const { end, start } = spanOf(body)
    if (body.type === "BlockStatement") insertions.push({ offset: start + 1, text: `${call};` })
    else insertions.push({ offset: start, text: `(${call},` }, { offset: end, text: ")" })
  }

  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, name))
    if (!isNode(value)) return
    const { body, id, key, left, params } = value
    const own = nameIn(id) ?? nameIn(key) ?? nameIn(left)
    if (Array.isArray(params) && isNode(body) && /Function/.test(value.type)) {
      const called = own ?? name
      enter(body, called)
      visit(params, `${called}›`)
      return visit(body, `${called}›`)
    }
    for (const field of Object.values(value)) visit(field, own ?? name)
  }

  visit(parseSync(file, source).program, "module")
  let written = ""
  let at = 0
  // Of two that begin at one place, the outer one was found first.
  for (const { offset, text } of insertions.toSorted((one, other) => one.offset - other.offset)) {
    written += source.slice(at, offset) + text
    at = offset
  }
  return written + source.slice(at)
}

const spanOf = (node: Node): { readonly start: number; readonly end: number } => ({
  start: Number(node["start"]),
  end: Number(node["end"])
})

const nameIn = (value: unknown): string | undefined => {
  if (!isNode(value)) return undefined
  if (value.type === "MemberExpression") return nameIn(value["property"])
  return typeof value["name"] === "string" ? value["name"] : undefined
}
