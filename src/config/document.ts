import { Data, Either, ParseResult } from "effect"
import type { Schema } from "effect"
import { isNode, isScalar, LineCounter, parseDocument, visit } from "yaml"
import type { Document } from "yaml"
import { describe, firstPath } from "../contract/describe.ts"

/** Invalid settings. The gateway refuses to start; the message is one line that names the place and the problem. */
export class BadSettings extends Data.TaggedError("BadSettings")<{ readonly message: string }> {}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A value read from a YAML file, with line numbers for error messages. */
export interface Located<A> {
  readonly value: A
  /** Version of a document that is stored in the database. */
  readonly version?: number
  /** Makes an error of a later stage: `gateway.yaml:12: models.x: …`. */
  readonly complain: (path: ReadonlyArray<PropertyKey>, rule: string) => BadSettings
}

/**
 * Parses a YAML text, replaces `${NAME}` in its strings with environment variables (after parsing, so that no value can
 * change the file's structure) and decodes it. Unknown fields, wrong values and missing variables fail with file and line.
 */
export const readDocument = <A, I>(
  file: string,
  text: string,
  env: Environment,
  schema: Schema.Schema<A, I>
): Either.Either<Located<A>, BadSettings> => {
  const lines = new LineCounter()
  // The library's own check for unique keys takes quadratic time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [broken] = document.errors
  if (broken !== undefined) {
    return Either.left(new BadSettings({ message: `${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message}` }))
  }
  const repeated = repeatedKey(document)
  if (repeated !== undefined) {
    const { line } = lines.linePos(repeated)
    return Either.left(new BadSettings({ message: `${file}:${line}: Map keys must be unique` }))
  }
  const complain = (path: ReadonlyArray<PropertyKey>, rule: string) =>
    new BadSettings({ message: `${file}:${lineOf(document, lines, path)}: ${rule}` })
  const missing: Array<BadSettings> = []
  const value = interpolate(document.toJS() ?? {}, [], (name, path) => {
    const given = env[name]
    if (given === undefined || given === "") {
      missing.push(complain(path, `${path.join(".")}: the environment has no variable ${name}`))
    }
    return given ?? ""
  })
  const [unset] = missing
  if (unset !== undefined) return Either.left(unset)
  const decode = ParseResult.decodeUnknownEither(schema, { errors: "first", onExcessProperty: "error" })
  return Either.mapBoth(decode(value), {
    onLeft: (issue) => complain(firstPath(issue), describe(issue).message),
    onRight: (decoded) => ({ value: decoded, complain })
  })
}

/** The offset of the first key that its mapping has twice. */
const repeatedKey = (document: Document): number | undefined => {
  let found: number | undefined
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) {
          found = key.range?.[0] ?? 0
          return visit.BREAK
        }
        keys.add(key.value)
      }
      return undefined
    }
  })
  return found
}

const interpolate = (
  value: unknown,
  path: ReadonlyArray<string | number>,
  lookUp: (name: string, path: ReadonlyArray<string | number>) => string
): unknown => {
  if (typeof value === "string")
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name) => lookUp(name, path))
  if (Array.isArray(value)) return value.map((item, index) => interpolate(item, [...path, index], lookUp))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, interpolate(item, [...path, key], lookUp)])
  )
}

/** The line of the deepest existing part of a path. */
const lineOf = (document: Document, lines: LineCounter, path: ReadonlyArray<PropertyKey>): number => {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
