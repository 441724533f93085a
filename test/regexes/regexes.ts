import { parseSync, Visitor } from "oxc-parser"
import type { CallExpression, NewExpression } from "oxc-parser"
import type { Sources } from "../imports/imports.ts"

/** A regular expression of the sources; undefined is a pattern that is made at run time. */
export interface Regex {
  /** File and line. */
  readonly place: string
  readonly pattern: string | undefined
  readonly flags: string
}

/** Every regular expression that the sources write, as a literal or as a call of `RegExp`. */
export const regexesOf = (sources: Sources): ReadonlyArray<Regex> => {
  const found: Array<Regex> = []
  for (const [file, text] of sources) {
    const place = (offset: number) => `${file}:${text.slice(0, offset).split("\n").length}`
    const make = ({ arguments: [pattern, flags], callee, start }: CallExpression | NewExpression) => {
      if (callee.type !== "Identifier" || callee.name !== "RegExp") return
      found.push({ place: place(start), pattern: textOf(pattern), flags: textOf(flags) ?? "" })
    }
    new Visitor({
      Literal: (node) => {
        if ("regex" in node) found.push({ place: place(node.start), ...node.regex })
      },
      NewExpression: make,
      CallExpression: make
    }).visit(parseSync(file, text).program)
  }
  return found
}

const textOf = (node: object | undefined): string | undefined =>
  node !== undefined && "value" in node && typeof node.value === "string" ? node.value : undefined
