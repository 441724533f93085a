import { Data, Either, Option, ParseResult, Predicate, Schema, SchemaAST } from "effect"
import { parseExactly } from "../contract/json/exactJson.ts"

/**
 * A row does not match its table's schema. The message names the column and never the value, which may come from a
 * caller.
 */
export class UndecodableRow extends Data.TaggedError("UndecodableRow")<{
  readonly table: string
  readonly column: string
  readonly expected: string
}> {
  override get message(): string {
    return `${this.table}.${this.column}: expected ${this.expected}`
  }
}

/** Decodes the rows of a table or a query with a Schema's columns. All methods but `either` throw `UndecodableRow`. */
export interface Rows<A> {
  readonly one: (row: unknown) => A
  readonly all: (rows: ReadonlyArray<unknown>) => ReadonlyArray<A>
  /** Does not throw if the row is unreadable. */
  readonly either: (row: unknown) => Either.Either<A, UndecodableRow>
  /** Undefined if there is no row. */
  readonly first: (rows: ReadonlyArray<unknown>) => A | undefined
}

type Columns = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/**
 * Derives a decoder from the columns' schemas, once. Plain code decodes the common column types (a task's row in 0.6
 * µs, half of it for JSON; 17 µs by its Schema), the Schema all others. An integer may come as a number, a bigint or
 * digits (a sum over `BIGINT` on Postgres) and is refused if a number can't represent it exactly (by `Schema.Int`; not
 * by `Schema.Number`); a boolean may come as 0 or 1. Other columns are left out.
 */
export const rows = <const Fields extends Columns>(
  table: string,
  fields: Fields
): Rows<{ readonly [Name in keyof Fields]: Schema.Schema.Type<Fields[Name]> }> => {
  type Row = { readonly [Name in keyof Fields]: Schema.Schema.Type<Fields[Name]> }
  const names = Object.keys(fields)
  const columns = names.map((name) => columnOf(fields[name]?.ast ?? SchemaAST.neverKeyword))
  const read = (row: unknown): Row | UndecodableRow => {
    const from = Predicate.isRecord(row) ? row : {}
    const to: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? ""
      const decoded = columns[at]?.decode(from[name])
      if (decoded === undefined) {
        return new UndecodableRow({ table, column: name, expected: columns[at]?.expected ?? "nothing" })
      }
      to[name] = decoded
    }
    // oxlint-disable-next-line typescript/consistent-type-assertions -- each of its columns has just been decoded
    return to as Row
  }
  const one = (row: unknown): Row => {
    const found = read(row)
    if (found instanceof UndecodableRow) throw found
    return found
  }
  return {
    one,
    all: (all) => all.map(one),
    either: (row) => {
      const found = read(row)
      return found instanceof UndecodableRow ? Either.left(found) : Either.right(found)
    },
    first: (all) => (all.length === 0 ? undefined : one(all[0]))
  }
}

/** A column of bytes. */
export const Bytes = Schema.declare(
  (value: unknown): value is Uint8Array<ArrayBuffer> =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer
).annotations({ identifier: "bytes" })

interface Column {
  readonly expected: string
  /** Undefined if the value does not fit the column. */
  readonly decode: (value: unknown) => unknown
}

const columnOf = (ast: SchemaAST.AST): Column => {
  if (SchemaAST.isStringKeyword(ast)) return text
  if (SchemaAST.isBooleanKeyword(ast)) return boolean
  if (isInteger(ast)) return integer
  if (SchemaAST.isNumberKeyword(ast)) return number
  if (SchemaAST.isUnion(ast)) return unionOf(ast)
  if (isJson(ast)) return unknownJson
  if (SchemaAST.isTransformation(ast) && isJson(ast.from)) return jsonOf(ast.to)
  return otherOf(ast)
}

const text: Column = { expected: "a text", decode: (value) => (typeof value === "string" ? value : undefined) }

const boolean: Column = {
  expected: "a boolean",
  decode: (value) => {
    if (value === 1 || value === true) return true
    return value === 0 || value === false ? false : undefined
  }
}

const integer: Column = {
  expected: "an integer that a number holds exactly",
  decode: (value) => {
    const number = typeof value === "number" ? value : fromLarge(value)
    return Number.isSafeInteger(number) ? number : undefined
  }
}

const number: Column = {
  expected: "a number",
  decode: (value) => (typeof value === "number" ? value : fromLarge(value))
}

/** A 64-bit integer, which an engine returns as a bigint or as digits. */
const fromLarge = (value: unknown): number | undefined =>
  typeof value === "bigint" || (typeof value === "string" && /^-?\d{1,20}$/.test(value)) ? Number(value) : undefined

/** One of some literals, or a nullable column. */
const unionOf = (ast: SchemaAST.Union): Column => {
  const values: ReadonlyArray<unknown> = ast.types.flatMap((type) => (SchemaAST.isLiteral(type) ? [type.literal] : []))
  if (values.length === ast.types.length) {
    return { expected: String(ast), decode: (value) => (values.includes(value) ? value : undefined) }
  }
  const present = ast.types.filter((type) => !isNull(type))
  if (present.length === ast.types.length) return otherOf(ast)
  const { decode, expected } = columnOf(SchemaAST.Union.make(present))
  return { expected: `${expected}, or null`, decode: (value) => (value === null ? null : decode(value)) }
}

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return undefined
  try {
    return parseExactly(value)
  } catch {
    return undefined
  }
}

const unknownJson: Column = { expected: "JSON", decode: parsed }

const jsonOf = (ast: SchemaAST.AST): Column => {
  if (isAnyObject(ast)) {
    return {
      expected: "JSON of an object",
      decode: (value) => {
        const found = parsed(value)
        return Predicate.isRecord(found) ? found : undefined
      }
    }
  }
  const { decode } = otherOf(ast)
  return {
    expected: `JSON of ${String(ast)}`,
    decode: (value) => {
      const found = parsed(value)
      return found === undefined ? undefined : decode(found)
    }
  }
}

const otherOf = (ast: SchemaAST.AST): Column => {
  const decode = ParseResult.decodeUnknownOption(Schema.make<unknown, unknown>(ast))
  return { expected: String(ast), decode: (value) => Option.getOrUndefined(decode(value)) }
}

const schemaIdOf = (ast: SchemaAST.AST) => Option.getOrUndefined(SchemaAST.getSchemaIdAnnotation(ast))
const isInteger = (ast: SchemaAST.AST) => schemaIdOf(ast) === Schema.IntSchemaId
const isJson = (ast: SchemaAST.AST) => schemaIdOf(ast) === SchemaAST.ParseJsonSchemaId
const isNull = (ast: SchemaAST.AST) => SchemaAST.isLiteral(ast) && ast.literal === null

/** `JsonObject`: an object with any fields. */
const isAnyObject = (ast: SchemaAST.AST) =>
  SchemaAST.isTypeLiteral(ast) &&
  ast.propertySignatures.length === 0 &&
  ast.indexSignatures.every(
    ({ parameter, type }) => SchemaAST.isStringKeyword(parameter) && SchemaAST.isUnknownKeyword(type)
  )
