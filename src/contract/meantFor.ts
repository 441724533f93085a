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
  const fitting = issues.flatMap((issue) => {
    const members = membersOf(issue)
    return members.length === 0 || members.some((ast) => takes(ast, kind)) ? [{ issue, members }] : []
  })
  if (!isObject(value) || fitting.length < 2) return fitting.map(({ issue }) => issue)
  const distances = fitting.map(({ issue, members }) => ({ issue, far: distance(members, value) }))
  const nearest = distances.reduce((best, { far }) => (compare(far, best) < 0 ? far : best), farthest)
  return distances.filter(({ far }) => compare(far, nearest) === 0).map(({ issue }) => issue)
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

/** The schemas that an issue's value may be of, without wrappers and unions around them; none for an issue of a key. */
const membersOf = (issue: ParseResult.ParseIssue): ReadonlyArray<AST.AST> =>
  issue._tag === "Pointer" || issue._tag === "Missing" || issue._tag === "Unexpected" ? [] : plain(issue.ast)

const plain = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return plain(ast.from)
    case "Suspend":
      return plain(ast.f())
    case "Union":
      return ast.types.flatMap(plain)
    case "Declaration":
      // By the schema that stands for it in docs: the members of `variants`.
      return Option.match(AST.getAnnotation<AST.AST>(AST.SurrogateAnnotationId)(ast), {
        onNone: () => [ast],
        onSome: plain
      })
    default:
      return [ast]
  }
}

/** True if a plain schema is for values of a kind, whichever of them it accepts. */
const takes = (ast: AST.AST, kind: Kind): boolean => {
  switch (ast._tag) {
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
    default:
      return true
  }
}

/** How far a value is from a schema; smaller is nearer. */
type Distance = readonly [wrongLiterals: number, unknown: number, known: number, lacking: number]

const farthest: Distance = [Infinity, Infinity, Infinity, Infinity]

const compare = Order.tuple(Order.number, Order.number, Order.number, Order.number)

/** From a kind without names, such as a file: plain objects are farther from it than from any with names, its own nearer. */
const unnamed = (value: object): Distance =>
  Object.getPrototypeOf(value) === Object.prototype ? [Infinity, 0, 0, 0] : [-1, 0, 0, 0]

const distance = (members: ReadonlyArray<AST.AST>, value: Record<PropertyKey, unknown>): Distance =>
  members
    .filter((ast) => takes(ast, "object"))
    .map((ast) => (AST.isTypeLiteral(ast) ? fromFields(ast, value) : unnamed(value)))
    .reduce((best, one) => (compare(one, best) < 0 ? one : best), farthest)

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
