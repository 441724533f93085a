import { Data, Effect, Either, ParseResult } from "effect"
import type { Schema } from "effect"
import { isNode, isScalar, LineCounter, parseDocument, visit } from "yaml"
import type { Document } from "yaml"
import { describe, firstFinding } from "../contract/describe.ts"
import { notHere, SecretFiles, secretReader } from "./SecretFiles.ts"
import { isObject } from "../contract/json/json.ts"
import { documentVariable } from "./secretVariable.ts"
import type { Environment } from "./secretVariable.ts"
import type { Commands, Printed } from "./SecretFiles.ts"
import type { Stamps } from "./watchedFile.ts"

/** Invalid settings. The gateway refuses to start; the message is one line that names the place and the problem. */
export class BadSettings extends Data.TaggedError("BadSettings")<{ readonly message: string }> {}

/** A value read from a YAML file, with line numbers for error messages. */
export interface Located<A> {
  readonly value: A
  /** Version of a document that is stored in the database. */
  readonly version?: number
  /** Without a file: what each variable opens, one line each. */
  readonly opened?: ReadonlyArray<string>
  /** The files that it was read from: its own, and those that it refers to. */
  readonly files?: Stamps
  /** The commands whose output it holds. */
  readonly printed?: ReadonlyMap<string, Printed>
  /** The variables that it names as `${NAME}`. */
  readonly interpolated?: ReadonlySet<string>
  /** Makes an error of a later stage: `gateway.yaml:12: models.x: …`. */
  readonly complain: (path: ReadonlyArray<PropertyKey>, rule: string) => BadSettings
}

/** The surroundings of a document. */
export interface DocumentContext {
  readonly env: Environment
  /** Base of relative paths in `{ file }`; by default the working directory. */
  readonly folder?: string
  /** False: secrets of upstreams, servers of tools, search and keys may be missing; a placeholder takes their place. */
  readonly needsSecrets?: boolean
  /** By default they are refused. */
  readonly commands?: Commands
}

/** Sections whose secrets only a serving gateway needs. */
const servedSections = new Set<PropertyKey | undefined>(["upstreams", "search", "keys", "mcp"])

/**
 * Parses a YAML text, replaces `${NAME}` in its strings with environment variables (after parsing, so that no value can
 * change the file's structure) and decodes it. Unknown fields, wrong values and missing variables fail with file and line.
 */
export const readDocument = Effect.fnUntraced(function* <A, I>(
  file: string,
  text: string,
  { commands, env, folder = ".", needsSecrets = true }: DocumentContext,
  schema: Schema.Schema<A, I, SecretFiles>
): Effect.fn.Return<Located<A>, BadSettings> {
  const lines = new LineCounter()
  // The library's own check for unique keys takes quadratic time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [broken] = document.errors
  if (broken !== undefined) {
    return yield* new BadSettings({ message: `${file}:${lines.linePos(broken.pos[0]).line}: ${ruleOf(broken)}` })
  }
  const repeated = repeatedKey(document)
  if (repeated !== undefined) {
    const { line } = lines.linePos(repeated)
    return yield* new BadSettings({ message: `${file}:${line}: Map keys must be unique` })
  }
  const complain = (path: ReadonlyArray<PropertyKey>, rule: string) =>
    new BadSettings({ message: `${file}:${lineOf(document, lines, path)}: ${rule}` })
  const reader = secretReader(folder, needsSecrets, commands)
  const missing: Array<BadSettings> = []
  const unknownAlias = aliasOfNothing(document)
  if (unknownAlias !== undefined) {
    const { line } = lines.linePos(unknownAlias)
    return yield* new BadSettings({
      message: `${file}:${line}: a text that begins with * needs quotes: YAML reads it as an alias, and no anchor has its name`
    })
  }
  const written = yield* Effect.try({
    try: (): unknown => document.toJS() ?? {},
    catch: () => new BadSettings({ message: `${file}: it has too many YAML aliases` })
  })
  const variables = new Map<string, Either.Either<string | undefined, string>>()
  const names = new Set<string>()
  interpolate(written, [], (name) => (names.add(name), ""))
  for (const name of names) variables.set(name, yield* Effect.either(documentVariable(env, name, reader)))
  const needed = needsSecrets ? written : withoutCommands(written)
  const value = interpolate(needed, [], (name, path) => {
    const given = variables.get(name) ?? Either.right(undefined)
    if (Either.isRight(given) && given.right !== undefined) return given.right
    if (!needsSecrets && servedSections.has(path[0])) return notHere
    const rule = Either.isLeft(given) ? given.left : `the environment has no variable ${name}`
    missing.push(complain(path, `${path.join(".")}: ${rule}`))
    return ""
  })
  const [unset] = missing
  if (unset !== undefined) return yield* unset
  const decode = ParseResult.decodeUnknown(schema, { errors: "first", onExcessProperty: "error" })
  return yield* Effect.mapBoth(Effect.provideService(decode(value), SecretFiles, reader), {
    onFailure: (issue) => complain(firstFinding(issue).path, describe(issue).message),
    onSuccess: (value): Located<A> => ({
      value,
      complain,
      files: reader.files,
      printed: reader.printed,
      interpolated: names
    })
  })
})

/** The rule of YAML that a file breaks. Behind a colon is the file's own text, which may be a secret. */
export const ruleOf = ({ message }: Error): string => message.replace(/(?<=\S): .*/s, "")

/** The document with a placeholder for each command of a section that only a serving gateway needs. */
const withoutCommands = (value: unknown, path: ReadonlyArray<string | number> = []): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => withoutCommands(item, [...path, index]))
  if (!isObject(value)) return value
  if (Array.isArray(value["command"]) && servedSections.has(path[0])) return notHere
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCommands(item, [...path, key])]))
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

/** The offset of the first alias whose anchor is not before it. */
const aliasOfNothing = (document: Document): number | undefined => {
  const anchors = new Set<string | undefined>()
  let found: number | undefined
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Alias: (_, { range, source }) => {
      if (anchors.has(source)) return undefined
      found = range?.[0] ?? 0
      return visit.BREAK
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
