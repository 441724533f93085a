import { Either, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import { OpenId, Unknown } from "./Unknown.ts"
import type { Open } from "./Unknown.ts"
import { SelectMemberId } from "./variants.ts"
import type { SelectMember } from "./variants.ts"

/**
 * Decodes parsed JSON with the results of `ParseResult.decodeUnknownEither(schema, { errors: "first" })`, several times
 * faster: plain loops walk containers, because a body of tens of thousands of blocks must not block the event loop.
 * Transformations are left to the library. Values that the schema accepts as they are (`unknown`, a record of strings)
 * are not copied.
 */
export const jsonDecoder = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) => {
  const { parse } = compiled(schema.ast, strictly)
  return (input) => answer<A>(parse(input))
}

/** Like `jsonDecoder`, but inputs that the schema's open parts reject are kept or omitted, and returned as `unknown`. */
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

/** Strict or open, with the parsers compiled so far. */
interface Mode {
  readonly known: WeakMap<AST.AST, Parser>
  readonly isOpen: boolean
  /** Unknown inputs of the current decoding. Decoding is synchronous, so there is only one at a time. */
  unknown: Array<unknown>
}

type Parse = (input: unknown) => unknown

interface Parser {
  /** The decoded value, or a `Wrong`. */
  readonly parse: Parse
  /** The result is always the input itself. */
  readonly keeps: boolean
}

class Wrong {
  readonly issue: ParseResult.ParseIssue
  constructor(issue: ParseResult.ParseIssue) {
    this.issue = issue
  }
}

const strictly: Mode = { known: new WeakMap(), isOpen: false, unknown: [] }
const openly: Mode = { known: new WeakMap(), isOpen: true, unknown: [] }

const compiled = (ast: AST.AST, mode: Mode): Parser => {
  const before = mode.known.get(ast)
  if (before !== undefined) return before
  const open = mode.isOpen ? openness(ast) : undefined
  const parser = open === undefined ? compile(ast, mode) : opened(compile(ast, mode), open, mode)
  mode.known.set(ast, parser)
  return parser
}

const openness = (ast: AST.AST): Open | undefined => Option.getOrUndefined(AST.getAnnotation<Open>(OpenId)(ast))

const opened = ({ parse }: Parser, open: Open, mode: Mode): Parser => ({
  keeps: false,
  parse: (input) => {
    const before = mode.unknown.length
    const value = parse(input)
    if (!(value instanceof Wrong)) return value
    // This input replaces the unknown inputs inside it.
    mode.unknown.length = before
    mode.unknown.push(input)
    return open === "member" ? new Unknown(input) : undefined
  }
})

const compile = (ast: AST.AST, mode: Mode): Parser => {
  switch (ast._tag) {
    case "UnknownKeyword":
    case "AnyKeyword":
      return { keeps: true, parse: (input) => input }
    case "StringKeyword":
      return primitive(ast, "string")
    case "NumberKeyword":
      return primitive(ast, "number")
    case "BooleanKeyword":
      return primitive(ast, "boolean")
    case "UndefinedKeyword":
      return primitive(ast, "undefined")
    case "Literal":
      return literal(ast)
    case "Refinement":
      return refinement(ast, mode)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? array(ast, mode) : library(ast)
    case "TypeLiteral":
      return typeLiteral(ast, mode)
    case "Union":
      return union(ast, mode)
    case "Suspend":
      return { keeps: false, parse: (input) => compiled(ast.f(), mode).parse(input) }
    case "Declaration":
      return declaration(ast, mode)
    default:
      return library(ast)
  }
}

const library = (ast: AST.AST): Parser => {
  const decode = ParseResult.decodeUnknownEither(Schema.make(ast), { errors: "first" })
  return { keeps: false, parse: (input) => Either.getOrElse(decode(input), (issue) => new Wrong(issue)) }
}

const primitive = (ast: AST.AST, type: "string" | "number" | "boolean" | "undefined"): Parser => ({
  keeps: true,
  parse: (input) => (typeof input === type ? input : new Wrong(new ParseResult.Type(ast, input)))
})

const literal = (ast: AST.Literal): Parser => ({
  keeps: true,
  parse: (input) => (input === ast.literal ? input : new Wrong(new ParseResult.Type(ast, input)))
})

const refinement = (ast: AST.Refinement, mode: Mode): Parser => {
  const from = compiled(ast.from, mode)
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

const array = (ast: AST.TupleType, mode: Mode): Parser => {
  const item = compiled(ast.rest[0]?.type ?? AST.unknownKeyword, mode)
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

const typeLiteral = (ast: AST.TypeLiteral, mode: Mode): Parser => {
  const [index, ...indexes] = ast.indexSignatures
  if (index === undefined) return ast.propertySignatures.length === 0 ? library(ast) : struct(ast, mode)
  return ast.propertySignatures.length === 0 && indexes.length === 0 && AST.isStringKeyword(index.parameter)
    ? record(ast, compiled(index.type, mode))
    : library(ast)
}

const struct = (ast: AST.TypeLiteral, mode: Mode): Parser => {
  const fields = ast.propertySignatures.map((signature) => ({
    signature,
    name: signature.name,
    isOptional: signature.isOptional,
    isOpen: mode.isOpen && openness(signature.type) !== undefined,
    parse: compiled(signature.type, mode).parse
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
            mode.unknown.push(given)
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

const union = (ast: AST.Union, mode: Mode): Parser => {
  const members = ast.types.map((type) => compiled(type, mode))
  const { parse: fails } = library(ast)
  // The library discriminates structs by literal fields; its issues for those beat the members' combined ones.
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

const declaration = (ast: AST.Declaration, mode: Mode): Parser => {
  const select = Option.getOrUndefined(AST.getAnnotation<SelectMember>(SelectMemberId)(ast))
  if (select === undefined) return library(ast)
  return {
    keeps: false,
    parse: (input) => {
      const member = select(input, ast)
      return Schema.isSchema(member) ? compiled(member.ast, mode).parse(input) : new Wrong(member)
    }
  }
}
