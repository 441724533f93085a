import { Either } from "effect"
import { isObject } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { MirroredArgument } from "./McpServer.ts"

const annotation = "x-mcp-header"
/** A header's name by RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** The most headers of a tool. */
const mostHeaders = 32

/** Members of a schema that hold values, not schemas. */
const values: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "example", "required"])
/** Members whose members are schemas under names of the server's choice. */
const named: ReadonlySet<string> = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])

/**
 * The arguments that a call of a tool repeats in headers; the rule that is broken if a client has to leave the tool out
 * (MCP 2026-07-28, streamable HTTP). Recursion is safe: the schema's depth is bounded.
 */
export const mirroredIn = (schema: JsonObject): Either.Either<ReadonlyArray<MirroredArgument>, string> => {
  const found: Array<MirroredArgument> = []
  let broken: string | undefined

  /** @param path undefined where properties alone don't lead */
  const visit = (node: unknown, path: ReadonlyArray<string> | undefined): void => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, undefined))
    if (!isObject(node)) return
    if (annotation in node) broken ??= add(node, path)
    for (const [name, member] of Object.entries(node)) {
      if (name === "properties" && isObject(member)) {
        for (const [property, sub] of Object.entries(member)) visit(sub, path && [...path, property])
      } else if (named.has(name) && isObject(member)) Object.values(member).forEach((sub) => visit(sub, undefined))
      else if (!values.has(name)) visit(member, undefined)
    }
  }

  const add = (node: JsonObject, path: ReadonlyArray<string> | undefined): string | undefined => {
    const { [annotation]: header, type } = node
    if (path === undefined || path.length === 0) return `${annotation} stands where properties alone don't lead`
    if (typeof header !== "string" || !token.test(header)) return `${annotation} is not the name of a header`
    if (type !== "string" && type !== "integer" && type !== "boolean") {
      return `${annotation} stands at something other than a string, an integer or a boolean`
    }
    if (found.some((one) => one.header.toLowerCase() === header.toLowerCase()))
      return `${annotation} names a header twice`
    found.push({ header, path, type })
    return found.length > mostHeaders ? `${annotation} names more than ${mostHeaders} headers` : undefined
  }

  visit(schema, [])
  return broken === undefined ? Either.right(found) : Either.left(broken)
}

/** The headers that repeat arguments of a call. Absent arguments and those of another type have none. */
export const mirrorHeaders = (
  mirrored: ReadonlyArray<MirroredArgument>,
  input: JsonObject
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    mirrored.flatMap(({ header, path, type }) => {
      const text = textOf(valueAt(input, path), type)
      return text === undefined ? [] : [[`Mcp-Param-${header}`, headerText(text)]]
    })
  )

const valueAt = (input: JsonObject, path: ReadonlyArray<string>): unknown => {
  let value: unknown = input
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

const textOf = (value: unknown, type: MirroredArgument["type"]): string | undefined => {
  if (type === "integer") return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === type ? String(value) : undefined
}

/** A header's text; undefined for Base64 that is none. */
export const decodedHeader = (value: string | null): string | undefined => {
  if (value === null) return undefined
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, "base64")
  return bytes.toString("base64") === encoded ? bytes.toString() : undefined
}

/** A text as a header carries it: as it is, or in Base64 if it would not survive. */
export const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`
