import { Either } from "effect"
import type { ParseResult, Schema } from "effect"
import { describe } from "./describe.ts"
import { InvalidRequest } from "./failures/Failure.ts"
import { jsonDecoder, openJsonDecoder } from "./jsonDecoder.ts"
import { OpenId } from "./Unknown.ts"

/**
 * A field whose values a passthrough upstream may judge: an open decoder omits values that the schema rejects. A strict
 * decoder refuses them.
 */
export const open = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A | undefined, I> => {
  const annotated: Schema.Schema<A, I> = schema.annotations({ [OpenId]: "field" })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- nothing writes undefined with it
  return annotated as never
}

/** Unknown inputs by decoded value. */
const unknowns = new WeakMap<object, ReadonlyArray<unknown>>()

/**
 * Decodes JSON, tolerating unknown inputs in the schema's open parts: they are kept (`Unknown`) or omitted, and listed by
 * `unknownIn`. Passthrough accepts them; translation refuses them with `objecting`.
 */
export const openDecoder = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) => {
  const decode = openJsonDecoder(schema)
  return (input) => {
    const { unknown, value } = decode(input)
    if (unknown.length > 0 && Either.isRight(value) && typeof value.right === "object" && value.right !== null) {
      unknowns.set(value.right, unknown)
    }
    return value
  }
}

/** The unknown inputs of an openly decoded body, as sent. */
export const unknownIn = (decoded: object): ReadonlyArray<unknown> => unknowns.get(decoded) ?? nothing

/** A changed copy of an openly decoded body, with its unknown inputs. */
export const withUnknownOf = <A>(copy: A, decoded: object): A => {
  const unknown = unknownIn(decoded)
  if (unknown.length > 0 && typeof copy === "object" && copy !== null) unknowns.set(copy, unknown)
  return copy
}

const nothing: ReadonlyArray<never> = []

/** The strict decoder's refusal of an openly decoded body with unknown inputs; undefined if it has none. */
export const makeObjection = <A extends object, I>(schema: Schema.Schema<A, I>) => {
  const decode = jsonDecoder(schema)
  return (decoded: object, body: unknown): InvalidRequest | undefined => {
    if (unknownIn(decoded).length === 0) return undefined
    const strictly = decode(body)
    return Either.isLeft(strictly) ? new InvalidRequest(describe(strictly.left)) : undefined
  }
}
