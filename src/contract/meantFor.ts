import { Option, Order, SchemaAST as AST } from "effect"
import type { ParseResult } from "effect"

/**
 * The issues of the members of a union that a value was meant for. Members of another kind (a text for a list) are out.
 * Among objects a member's literal fields decide (`type`, `kind`), then its names: fewest unknown keys of the value, most
 * known ones, fewest required fields that the value lacks. Several are left if nothing tells them apart.
 */
export const meantFor = (
  issues: ReadonlyArray<ParseResult.ParseIssue>,
  value: unknown
): ReadonlyArray<ParseResult.ParseIssue> => {
  const kind = kindOf(value)
  const fitting = issues.filter((issue) => takes(astOf(issue), kind))
  if (!isObject(value) || fitting.length < 2) return fitting
  const distances = fitting.map((issue) => distance(astOf(issue), value))
  const nearest = distances.reduce((best, one) => (compare(one, best) < 0 ? one : best))
  return fitting.filter((_, index) => compare(distances[index] ?? nearest, nearest) === 0)
}

type Kind = "string" | "number" | "boolean" | "array" | "object" | "nothing"

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

const kindOf = (value: unknown): Kind => {
  if (Array.isArray(value)) return "array"
  if (isObject(value)) return "object"
  // An exact integer.
  if (typeof value === "object" && value !== null) return "number"
  const type = typeof value
  return type === "string" || type === "number" || type === "boolean" ? type : "nothing"
}

/** The schema that an issue is of; undefined for one of a key. */
const astOf = (issue: ParseResult.ParseIssue): AST.AST | undefined =>
  issue._tag === "Pointer" || issue._tag === "Missing" || issue._tag === "Unexpected" ? undefined : shapeOf(issue.ast)

/** A declaration by the schema that stands for it in docs: the members of `variants`. */
const shapeOf = (ast: AST.AST): AST.AST =>
  AST.isDeclaration(ast) ? Option.getOrElse(AST.getAnnotation<AST.AST>(AST.SurrogateAnnotationId)(ast), () => ast) : ast

/** True if a schema is for values of a kind, whichever of them it accepts. */
const takes = (ast: AST.AST | undefined, kind: Kind): boolean => {
  switch (ast?._tag) {
    case "StringKeyword":
    case "TemplateLiteral":
      return kind === "string"
    case "NumberKeyword":
      return kind === "number"
    case "BooleanKeyword":
      return kind === "boolean"
    case "Literal":
      return kindOf(ast.literal) === kind
    case "UndefinedKeyword":
      return kind === "nothing"
    case "TupleType":
      return kind === "array"
    case "TypeLiteral":
    case "ObjectKeyword":
      return kind === "object"
    case "Refinement":
    case "Transformation":
      return takes(ast.from, kind)
    case "Suspend":
      return takes(ast.f(), kind)
    case "Union":
      return ast.types.some((type) => takes(type, kind))
    default:
      return true
  }
}

/** How far a value is from a schema; smaller is nearer. */
type Distance = readonly [wrongLiterals: number, unknown: number, known: number, lacking: number]

const compare = Order.tuple(Order.number, Order.number, Order.number, Order.number)

/** From a kind without names, such as a file: plain objects are farther from it than from any with names, its own nearer. */
const unnamed = (value: object): Distance =>
  Object.getPrototypeOf(value) === Object.prototype ? [Infinity, 0, 0, 0] : [-1, 0, 0, 0]

const distance = (ast: AST.AST | undefined, value: Record<PropertyKey, unknown>): Distance => {
  switch (ast?._tag) {
    case "TypeLiteral":
      return fromFields(ast, value)
    case "Refinement":
    case "Transformation":
      return distance(ast.from, value)
    case "Suspend":
      return distance(ast.f(), value)
    case "Union":
      return ast.types
        .filter((type) => takes(type, "object"))
        .map((type) => distance(type, value))
        .reduce((best, one) => (compare(one, best) < 0 ? one : best))
    default:
      return unnamed(value)
  }
}

const fromFields = (ast: AST.TypeLiteral, value: Record<PropertyKey, unknown>): Distance => {
  const names = new Set(ast.propertySignatures.map(({ name }) => name))
  const keys = Object.keys(value)
  const known = ast.indexSignatures.length > 0 ? keys.length : keys.filter((key) => names.has(key)).length
  const required = ast.propertySignatures.filter(({ isOptional }) => !isOptional)
  return [
    required.filter(({ name, type }) => {
      const literals = literalsOf(type)
      return literals !== undefined && !literals.includes(value[name])
    }).length,
    keys.length - known,
    -known,
    required.filter(({ name }) => value[name] === undefined).length
  ]
}

/** The values of a field that is a literal or a choice of them. */
const literalsOf = (ast: AST.AST): ReadonlyArray<unknown> | undefined => {
  if (AST.isLiteral(ast)) return [ast.literal]
  if (!AST.isUnion(ast)) return undefined
  const literals = ast.types.filter(AST.isLiteral)
  return literals.length === ast.types.length ? literals.map(({ literal }) => literal) : undefined
}
