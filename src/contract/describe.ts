import { Option, SchemaAST as AST } from "effect"
import type { ParseResult } from "effect"
import { meantFor } from "./meantFor.ts"

/** The first problem that a schema found. */
export interface Description {
  /** `content[1].role`; null for the value as a whole. */
  readonly param: string | null
  readonly message: string
}

/**
 * Describes the first problem that a schema found, for people:
 * `content[1].role: expected one of first_frame, last_frame; got "start"`.
 */
export const describe = (issue: ParseResult.ParseIssue): Description => {
  const { path, rule } = first(issue, [])
  const param = render(path)
  return param === "" ? { param: null, message: rule } : { param, message: `${param}: ${rule}` }
}

/** The path of the first problem that a schema found, and the rule that is broken there. */
export const firstFinding = (issue: ParseResult.ParseIssue): Finding => first(issue, [])

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly rule: string
}

const first = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): Finding => {
  switch (issue._tag) {
    case "Pointer":
      return first(issue.issue, path.concat(issue.path))
    case "Composite":
      return AST.isUnion(issue.ast) ? ofUnion(issue, path) : first(firstOf(issue.issues), path)
    case "Refinement":
      return hasWrongBase(issue) ? { path, rule: mismatch(issue.ast, issue.actual) } : first(issue.issue, path)
    case "Transformation":
      // The library's own message, "Unable to decode …", does not help callers; a `Forbidden` is ours.
      return issue.kind === "Transformation" && !isOurs(issue.issue)
        ? { path, rule: mismatch(issue.ast.to, issue.actual) }
        : first(issue.issue, path)
    case "Missing":
      return { path, rule: missing(issue.ast) }
    case "Unexpected":
      return { path, rule: "is not a known field" }
    case "Forbidden":
    case "Type":
      return { path, rule: issue.message ?? mismatch(issue.ast, issue.actual) }
  }
}

const isOurs = (issue: ParseResult.ParseIssue): boolean =>
  issue._tag === "Forbidden" || (issue._tag === "Pointer" && isOurs(issue.issue))

/** Given `"many"`, "an integer between 1 and 3" helps more than "a number". */
const hasWrongBase = (issue: ParseResult.Refinement): boolean =>
  issue.kind === "From" &&
  (issue.issue._tag === "Type" ||
    (issue.issue._tag === "Transformation" && issue.issue.kind === "Transformation") ||
    (issue.issue._tag === "Refinement" && hasWrongBase(issue.issue)))

const firstOf = (issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>): ParseResult.ParseIssue =>
  "_tag" in issues ? issues : issues[0]

/**
 * The first problem of the member that the value was meant for (`meantFor`). If that is one member, its rule; otherwise,
 * and for an empty value, the union's own expectation, which lists what all of them take.
 */
const ofUnion = (issue: ParseResult.Composite, path: ReadonlyArray<PropertyKey>): Finding => {
  const issues = "_tag" in issue.issues ? [issue.issues] : issue.issues
  const meant = meantFor(issues, issue.actual)
  const findings = meant.map((member) => first(member, path))
  const deepest = findings.reduce<Finding | undefined>(
    (best, finding) => (finding.path.length > (best?.path ?? path).length ? finding : best),
    undefined
  )
  if (deepest !== undefined) return deepest
  const inhabited = issues.filter((member) => member._tag !== "Type" || !isNull(member.ast))
  const only =
    inhabited.length === 1 ? inhabited[0] : meant.length === 1 && !isEmpty(issue.actual) ? meant[0] : undefined
  return only === undefined || (inhabited.length > 1 && only._tag === "Type" && AST.isLiteral(only.ast))
    ? { path, rule: mismatch(issue.ast, issue.actual) }
    : first(only, path)
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0)

const isNull = (ast: AST.AST) => (AST.isLiteral(ast) && ast.literal === null) || AST.isUndefinedKeyword(ast)

const missing = (slot: AST.Type) => {
  const expected = expectation(slot.type)
  return expected === undefined ? "is required" : `is required; expected ${expected}`
}

const mismatch = (ast: AST.AST, actual: unknown) => {
  const message = Option.getOrUndefined(AST.getMessageAnnotation(ast))
  if (message !== undefined) {
    const text = message({ _tag: "Type", ast, actual, message: undefined })
    if (typeof text === "string") return text
  }
  return `expected ${expectation(ast) ?? "another value"}; got ${shown(actual)}`
}

/** The values that a schema accepts: `one of a, b`, `an integer between 4 and 15`, `a string or an array`. */
const expectation = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
    case "TemplateLiteral":
      return describeType(ast) ?? "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "a boolean"
    case "Literal":
      return typeof ast.literal === "string" ? `"${ast.literal}"` : String(ast.literal)
    case "TupleType":
      return "an array"
    case "TypeLiteral":
    case "ObjectKeyword":
      return "an object"
    case "Refinement":
      return describeType(ast) ?? expectation(ast.from)
    case "Transformation":
      return describeType(ast) ?? expectation(ast.from)
    case "Suspend":
      return expectation(ast.f())
    case "Union":
      return ofMembers(ast.types.filter((type) => !isNull(type)))
    default:
      return describeType(ast)
  }
}

const ofMembers = (types: ReadonlyArray<AST.AST>): string | undefined => {
  const literals = types.filter(AST.isLiteral)
  if (literals.length === types.length && literals.length > 1) {
    return `one of ${literals.map((type) => String(type.literal)).join(", ")}`
  }
  const words = [...new Set(types.flatMap(alternatives))]
  return words.length === 0 ? undefined : words.join(" or ")
}

/** The values that a member of a union accepts; a union behind a transformation (text, or `{ file }`) by its own members. */
const alternatives = (ast: AST.AST): ReadonlyArray<string> => {
  if (AST.isTransformation(ast) && AST.isUnion(ast.from) && describeType(ast) === undefined) {
    return ast.from.types.flatMap(alternatives)
  }
  const text = expectation(ast)
  return text === undefined ? [] : [text]
}

/** A refinement's own description ("a number between 0 and 2"), if it reads as one. */
const describeType = (ast: AST.AST): string | undefined => {
  const text = Option.getOrUndefined(AST.getDescriptionAnnotation(ast))
  return text !== undefined && /^(a|an|one|at) /.test(text) ? text : undefined
}

const shown = (actual: unknown): string => {
  if (Array.isArray(actual)) return actual.length === 0 ? "an empty array" : "an array"
  if (typeof actual === "object" && actual !== null && !JSON.isRawJSON(actual)) return "an object"
  if (actual === undefined) return "nothing"
  const text = JSON.stringify(actual)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const render = (path: ReadonlyArray<PropertyKey>) =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")
