import { Either, Schema } from "effect"

/** For operators, in the audit log: a category, not words of the texts. */
const reason = Schema.optional(Schema.String.pipe(Schema.maxLength(100)))

/** A bound on keys in their Schema would leave out the others in silence. */
const Placeholders = Schema.Record({ key: Schema.String, value: Schema.String.pipe(Schema.maxLength(10_000)) }).pipe(
  Schema.filter((all) => {
    const names = Object.keys(all)
    return names.length <= 1_000 && names.every(({ length }) => length >= 3 && length <= 200)
  })
)

/** The answer of a guardrail. */
export const Verdict = Schema.Union(
  Schema.Struct({ verdict: Schema.Literal("allow") }),
  Schema.Struct({
    verdict: Schema.Literal("block"),
    /** For the caller. */
    message: Schema.optional(Schema.String.pipe(Schema.maxLength(1_000))),
    reason
  }),
  Schema.Struct({
    verdict: Schema.Literal("replace"),
    /** As many as it got, in the same order. */
    texts: Schema.Array(Schema.String),
    /** The words of the request by the placeholders that stand for them. The answer gets them back. */
    placeholders: Schema.optional(Placeholders),
    reason
  })
)
export type Verdict = typeof Verdict.Type

const decode = Schema.decodeUnknownEither(Schema.parseJson(Verdict))

/** Reads an answer; undefined if it is no verdict on that many texts. */
export const readVerdict = (answer: string, count: number): Verdict | undefined => {
  const read = decode(answer)
  if (Either.isLeft(read)) return undefined
  const verdict = read.right
  return verdict.verdict === "replace" && verdict.texts.length !== count ? undefined : verdict
}
