import { Either, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import { SelectMemberId } from "./variants.ts"
import type { SelectMember } from "./variants.ts"

/**
 * Decodes parsed JSON exactly as `ParseResult.decodeUnknownEither(schema, { errors: "first" })` does, several times
 * faster: containers are walked by plain loops, for one body may hold tens of thousands of blocks and must not stall
 * everyone else. What a schema transforms is left to the library. JSON that the schema lets through whole (`unknown`,
 * a record of strings) is not copied.
 */
export const jsonDecoder = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) => {
  const { parse } = compiled(schema.ast)
  return (input) => {
    const value = parse(input)
    // oxlint-disable-next-line typescript/consistent-type-assertions -- compiled from the schema's own syntax tree
    return value instanceof Wrong ? Either.left(value.issue) : Either.right(value as A)
  }
}

type Parse = (input: unknown) => unknown

interface Parser {
  /** The decoded value, or a `Wrong`. */
  readonly parse: Parse
  /** Whether what it answers is always its input itself. */
  readonly keeps: boolean
}

class Wrong {
  readonly issue: ParseResult.ParseIssue
  constructor(issue: ParseResult.ParseIssue) {
    this.issue = issue
  }
}

const known = new WeakMap<AST.AST, Parser>()

const compiled = (ast: AST.AST): Parser => {
  const before = known.get(ast)
  if (before !== undefined) return before
  const parser = compile(ast)
  known.set(ast, parser)
  return parser
}

const compile = (ast: AST.AST): Parser => {
  switch (ast._tag) {
    case "UnknownKeyword":
    case "AnyKeyword":
      return { keeps: true, parse: (input) => input }
    case "StringKeyword":
      return leaf(ast, (input) => typeof input === "string")
    case "NumberKeyword":
      return leaf(ast, (input) => typeof input === "number")
    case "BooleanKeyword":
      return leaf(ast, (input) => typeof input === "boolean")
    case "UndefinedKeyword":
      return leaf(ast, (input) => input === undefined)
    case "Literal":
      return leaf(ast, (input) => input === ast.literal)
    case "Refinement":
      return refinement(ast)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? array(ast) : library(ast)
    case "TypeLiteral":
      return typeLiteral(ast)
    case "Union":
      return union(ast)
    case "Suspend":
      return { keeps: false, parse: (input) => compiled(ast.f()).parse(input) }
    case "Declaration":
      return declaration(ast)
    default:
      return library(ast)
  }
}

const library = (ast: AST.AST): Parser => {
  const decode = ParseResult.decodeUnknownEither(Schema.make(ast), { errors: "first" })
  return { keeps: false, parse: (input) => Either.getOrElse(decode(input), (issue) => new Wrong(issue)) }
}

const leaf = (ast: AST.AST, accepts: (input: unknown) => boolean): Parser => ({
  keeps: true,
  parse: (input) => (accepts(input) ? input : new Wrong(new ParseResult.Type(ast, input)))
})

const refinement = (ast: AST.Refinement): Parser => {
  const from = compiled(ast.from)
  return {
    keeps: from.keeps,
    parse: (input) => {
      const value = from.parse(input)
      if (value instanceof Wrong) return new Wrong(new ParseResult.Refinement(ast, input, "From", value.issue))
      const issue = ast.filter(value, AST.defaultParseOption, ast)
      return Option.isNone(issue) ? value : new Wrong(new ParseResult.Refinement(ast, input, "Predicate", issue.value))
    }
  }
}

const within = (ast: AST.AST, input: unknown, key: PropertyKey, issue: ParseResult.ParseIssue) =>
  new Wrong(new ParseResult.Composite(ast, input, new ParseResult.Pointer(key, input, issue)))

const array = (ast: AST.TupleType): Parser => {
  const item = compiled(ast.rest[0]?.type ?? AST.unknownKeyword)
  return {
    keeps: item.keeps,
    parse: (input) => {
      if (!Array.isArray(input)) return new Wrong(new ParseResult.Type(ast, input))
      const output = item.keeps ? input : Array.from<unknown>({ length: input.length })
      for (let i = 0; i < input.length; i++) {
        const value = item.parse(input[i])
        if (value instanceof Wrong) return within(ast, input, i, value.issue)
        output[i] = value
      }
      return output
    }
  }
}

const isObject = (input: unknown): input is Record<PropertyKey, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const typeLiteral = (ast: AST.TypeLiteral): Parser => {
  const [index, ...indexes] = ast.indexSignatures
  if (index === undefined) return ast.propertySignatures.length === 0 ? library(ast) : struct(ast)
  return ast.propertySignatures.length === 0 && indexes.length === 0 && AST.isStringKeyword(index.parameter)
    ? record(ast, compiled(index.type))
    : library(ast)
}

const struct = (ast: AST.TypeLiteral): Parser => {
  const fields = ast.propertySignatures.map((signature) => ({
    signature,
    name: signature.name,
    isOptional: signature.isOptional,
    parse: compiled(signature.type).parse
  }))
  return {
    keeps: false,
    parse: (input) => {
      if (!isObject(input)) return new Wrong(new ParseResult.Type(ast, input))
      const output: Record<PropertyKey, unknown> = {}
      for (const { isOptional, name, parse, signature } of fields) {
        const given = input[name]
        if (given === undefined) {
          if (isOptional) continue
          return within(ast, input, name, new ParseResult.Missing(signature))
        }
        const value = parse(given)
        if (value instanceof Wrong) return within(ast, input, name, value.issue)
        output[name] = value
      }
      return output
    }
  }
}

const record = (ast: AST.TypeLiteral, value: Parser): Parser =>
  value.keeps
    ? {
        keeps: true,
        parse: (input) => {
          if (!isObject(input)) return new Wrong(new ParseResult.Type(ast, input))
          if (AST.isUnknownKeyword(ast.indexSignatures[0]?.type ?? AST.unknownKeyword)) return input
          for (const key of Object.keys(input)) {
            const checked = value.parse(input[key])
            if (checked instanceof Wrong) return within(ast, input, key, checked.issue)
          }
          return input
        }
      }
    : library(ast)

const union = (ast: AST.Union): Parser => {
  const members = ast.types.map(compiled)
  const { parse: fails } = library(ast)
  // The library tells structs apart by their literal fields; its issues for those are better than all members' together.
  const hasLists = ast.types.some(
    (type) => AST.isTupleType(type) || (AST.isRefinement(type) && AST.isTupleType(type.from))
  )
  const inhabited = ast.types.filter((type) => !isNull(type) && !AST.isUndefinedKeyword(type))
  const isNullable = ast.types.some(isNull)
  const combines = hasLists || inhabited.length === 1
  return {
    keeps: members.every(({ keeps }) => keeps),
    parse: (input) => {
      if (input === null && isNullable) return null
      const issues: Array<ParseResult.ParseIssue> = []
      for (const { parse } of members) {
        const value = parse(input)
        if (!(value instanceof Wrong)) return value
        issues.push(value.issue)
      }
      const [first, ...rest] = issues
      return combines && first !== undefined
        ? new Wrong(new ParseResult.Composite(ast, input, [first, ...rest]))
        : fails(input)
    }
  }
}

const isNull = (ast: AST.AST) => AST.isLiteral(ast) && ast.literal === null

const declaration = (ast: AST.Declaration): Parser => {
  const select = Option.getOrUndefined(AST.getAnnotation<SelectMember>(SelectMemberId)(ast))
  if (select === undefined) return library(ast)
  return {
    keeps: false,
    parse: (input) => {
      const member = select(input, ast)
      return Schema.isSchema(member) ? compiled(member.ast).parse(input) : new Wrong(member)
    }
  }
}
