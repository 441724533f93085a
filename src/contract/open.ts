import { Either } from "effect"
import type { ParseResult, Schema } from "effect"
import { describe } from "./describe.ts"
import { InvalidRequest } from "./Failure.ts"
import { jsonDecoder, openJsonDecoder } from "./jsonDecoder.ts"
import { OpenId } from "./Unknown.ts"

/**
 * A field whose value an upstream of the request's own dialect may judge: an open decoder leaves out what the schema does
 * not take. A strict one, which every other reader is, refuses it.
 */
export const open = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A | undefined, I> => {
  const annotated: Schema.Schema<A, I> = schema.annotations({ [OpenId]: "field" })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- nothing writes undefined with it
  return annotated as never
}

/** What an open decoder found that its schema does not know, by what it made of the whole. */
const found = new WeakMap<object, ReadonlyArray<unknown>>()

/**
 * Decodes JSON as the schema says, but for its open parts: what they do not know is kept (`Unknown`) or left out, and
 * `unknownIn` tells of it. Strict where the gateway translates, open where it passes: whoever has to understand a request
 * asks `objecting` for what it does not.
 */
export const openDecoder = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseIssue>) => {
  const decode = openJsonDecoder(schema)
  return (input) => {
    const { unknown, value } = decode(input)
    if (unknown.length > 0 && Either.isRight(value) && typeof value.right === "object" && value.right !== null) {
      found.set(value.right, unknown)
    }
    return value
  }
}

/** What of an openly decoded body its schema does not know, as it came; mostly nothing. */
export const unknownIn = (decoded: object): ReadonlyArray<unknown> => found.get(decoded) ?? nothing

const nothing: ReadonlyArray<never> = []

/** The first thing of an openly decoded body that the schema does not know, in the words in which it refuses it. */
export const objecting = <A extends object, I>(schema: Schema.Schema<A, I>) => {
  const decode = jsonDecoder(schema)
  return (decoded: object, body: unknown): InvalidRequest | undefined => {
    if (unknownIn(decoded).length === 0) return undefined
    const strictly = decode(body)
    return Either.isLeft(strictly) ? new InvalidRequest(describe(strictly.left)) : undefined
  }
}
