import { Either, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import { OpenId, Unknown } from "./Unknown.ts"
import type { Open } from "./Unknown.ts"
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
  const { parse } = compiled(schema.ast, strictly)
  return (input) => answer<A>(parse(input))
}

/** As `jsonDecoder`, but what the schema's open parts do not take is kept or left out, and told beside the value. */
export const openJsonDecoder = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => {
  readonly value: Either.Either<A, ParseResult.ParseIssue>
  readonly unknown: ReadonlyArray<unknown>
}) => {
  const { parse } = compiled(schema.ast, openly)
  return (input) => {
    const unknown: Array<unknown> = []
    openly.unknown = unknown
    return { value: answer(parse(input)), unknown }
  }
}

const answer = <A>(value: unknown): Either.Either<A, ParseResult.ParseIssue> =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- compiled from the schema's own syntax tree
  value instanceof Wrong ? Either.left(value.issue) : Either.right(value as A)

/** How a syntax tree is compiled, and what was compiled so. */
interface How {
  readonly known: WeakMap<AST.AST, Parser>
  readonly isOpen: boolean
  /** What the decoding under way did not know. It runs to its end before another one begins. */
  unknown: Array<unknown>
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

const strictly: How = { known: new WeakMap(), isOpen: false, unknown: [] }
const openly: How = { known: new WeakMap(), isOpen: true, unknown: [] }

const compiled = (ast: AST.AST, how: How): Parser => {
  const before = how.known.get(ast)
  if (before !== undefined) return before
  const open = how.isOpen ? openness(ast) : undefined
  const parser = open === undefined ? compile(ast, how) : opened(compile(ast, how), open, how)
  how.known.set(ast, parser)
  return parser
}

const openness = (ast: AST.AST): Open | undefined => Option.getOrUndefined(AST.getAnnotation<Open>(OpenId)(ast))

const opened = ({ parse }: Parser, open: Open, how: How): Parser => ({
  keeps: false,
  parse: (input) => {
    const before = how.unknown.length
    const value = parse(input)
    if (!(value instanceof Wrong)) return value
    // The whole holds what was unknown within it.
    how.unknown.length = before
    how.unknown.push(input)
    return open === "member" ? new Unknown(input) : undefined
  }
})

const compile = (ast: AST.AST, how: How): Parser => {
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
      return refinement(ast, how)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? array(ast, how) : library(ast)
    case "TypeLiteral":
      return typeLiteral(ast, how)
    case "Union":
      return union(ast, how)
    case "Suspend":
      return { keeps: false, parse: (input) => compiled(ast.f(), how).parse(input) }
    case "Declaration":
      return declaration(ast, how)
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

const refinement = (ast: AST.Refinement, how: How): Parser => {
  const from = compiled(ast.from, how)
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

const array = (ast: AST.TupleType, how: How): Parser => {
  const item = compiled(ast.rest[0]?.type ?? AST.unknownKeyword, how)
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
  typeof input === "object" && input !== null && !Array.isArray(input) && !JSON.isRawJSON(input)

const typeLiteral = (ast: AST.TypeLiteral, how: How): Parser => {
  const [index, ...indexes] = ast.indexSignatures
  if (index === undefined) return ast.propertySignatures.length === 0 ? library(ast) : struct(ast, how)
  return ast.propertySignatures.length === 0 && indexes.length === 0 && AST.isStringKeyword(index.parameter)
    ? record(ast, compiled(index.type, how))
    : library(ast)
}

const struct = (ast: AST.TypeLiteral, how: How): Parser => {
  const fields = ast.propertySignatures.map((signature) => ({
    signature,
    name: signature.name,
    isOptional: signature.isOptional,
    isOpen: how.isOpen && openness(signature.type) !== undefined,
    parse: compiled(signature.type, how).parse
  }))
  return {
    keeps: false,
    parse: (input) => {
      if (!isObject(input)) return new Wrong(new ParseResult.Type(ast, input))
      const output: Record<PropertyKey, unknown> = {}
      for (const { isOpen, isOptional, name, parse, signature } of fields) {
        const given = input[name]
        if (given === undefined) {
          if (isOptional) continue
          if (isOpen) {
            how.unknown.push(given)
            continue
          }
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

const union = (ast: AST.Union, how: How): Parser => {
  const members = ast.types.map((type) => compiled(type, how))
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

const declaration = (ast: AST.Declaration, how: How): Parser => {
  const select = Option.getOrUndefined(AST.getAnnotation<SelectMember>(SelectMemberId)(ast))
  if (select === undefined) return library(ast)
  return {
    keeps: false,
    parse: (input) => {
      const member = select(input, ast)
      return Schema.isSchema(member) ? compiled(member.ast, how).parse(input) : new Wrong(member)
    }
  }
}
