import { firstMatch } from "./text/firstMatch.ts"
import { ParseResult, Schema, SchemaAST as AST } from "effect"
import type { Effect } from "effect"
import { OpenId } from "./Unknown.ts"
import type { Unknown } from "./Unknown.ts"

type Member = Schema.Schema.AnyNoContext
type Members = Readonly<Record<string, Member>>
type Parse = (input: unknown, options?: AST.ParseOptions) => Effect.Effect<unknown, ParseResult.ParseIssue>

type Others = ReadonlyArray<readonly [RegExp, Member]>

interface Options<M extends Members, O extends Others, Open extends boolean> {
  /** The member for objects without a `type`. */
  readonly absent?: keyof M
  /** Fallback members by pattern of `type`; the first match wins. Error messages do not list them. */
  readonly others?: O
  /** An open decoder keeps unknown members, for upstreams that know them. */
  readonly open?: Open
}

/** The union's member that an input's `type` selects, or the issue. */
export type SelectMember = (input: unknown, ast: AST.AST) => Member | ParseResult.ParseIssue

/** Annotation of a declaration made by `variants`: its `SelectMember`, for `jsonDecoder`. */
export const SelectMemberId = Symbol.for("gateway/contract/SelectMember")

/**
 * A union of objects discriminated by `type`. Unlike `Schema.Union` it parses one member only, which keeps long histories
 * cheap, and its issues point into that member or list the types.
 */
export const variants = <
  const M extends Members,
  const O extends Others = readonly [],
  const Open extends boolean = false
>(
  members: M,
  options: Options<M, O, Open> = {}
): Schema.Schema<
  Schema.Schema.Type<M[keyof M] | O[number][1]> | (Open extends true ? Unknown : never),
  Schema.Schema.Encoded<M[keyof M] | O[number][1]>
> => {
  const others: Others = options.others ?? []
  const types = AST.Union.make(Object.keys(members).map((type) => new AST.Literal(type)))
  const memberOf = (type: unknown): Member | undefined => {
    if (type === undefined || type === null) return options.absent === undefined ? undefined : members[options.absent]
    if (typeof type !== "string") return undefined
    return Object.hasOwn(members, type) ? members[type] : firstMatch(others, type)
  }
  const select: SelectMember = (input, ast) => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return new ParseResult.Type(AST.objectKeyword, input)
    }
    const type = "type" in input ? input.type : undefined
    const member = memberOf(type)
    if (member !== undefined) return member
    const issue = type === undefined ? new ParseResult.Missing(new AST.Type(types)) : new ParseResult.Type(types, type)
    return new ParseResult.Composite(ast, input, new ParseResult.Pointer("type", input, issue))
  }
  const all = [...new Set([...Object.values(members), ...others.map(([, other]) => other)])]
  const parser = (parserOf: (member: Member) => Parse) => () => {
    const parsers = new Map(all.map((member) => [member, parserOf(member)]))
    return (input: unknown, parseOptions: AST.ParseOptions, ast: AST.Declaration) => {
      const member = select(input, ast)
      if (!Schema.isSchema(member)) return ParseResult.fail(member)
      const parse = parsers.get(member)
      return parse === undefined ? ParseResult.succeed(input) : parse(input, parseOptions)
    }
  }
  const union = Schema.declare([], {
    decode: parser((member) => ParseResult.decodeUnknown(member)),
    encode: parser((member) => ParseResult.encodeUnknown(member))
  }).annotations({
    // For OpenAPI.
    [AST.SurrogateAnnotationId]: Schema.Union(...all).ast,
    [SelectMemberId]: select,
    ...(options.open === true ? { [OpenId]: "member" } : {})
  })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- its parsers are the members'
  return union as never
}
