import { Effect, ParseResult, Schema } from "effect"
import { firstFinding } from "../../contract/describe.ts"
import type { SecretFiles } from "../SecretFiles.ts"
import { HeaderSecret } from "./values.ts"

const Weighted = Schema.Struct({ key: HeaderSecret, weight: Schema.optional(Schema.Number.pipe(Schema.positive())) })

const Key = Schema.typeSchema(Schema.Union(HeaderSecret, Weighted))

/** One of an upstream's keys: a secret, or a secret with its weight. A mistake does not show the secret. */
export const UpstreamKey = Schema.transformOrFail(Schema.Unknown, Key, {
  strict: true,
  decode: (given, options, ast) => {
    const refuse = (message: string) => new ParseResult.Forbidden(ast, given, message)
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given)
    if (!isObject && (typeof given !== "string" || given === "")) {
      return ParseResult.fail(refuse("expected a key as text, as { file }, as { command }, or as { key, weight }"))
    }
    const shown = (issue: ParseResult.ParseIssue) => {
      const { path, rule } = firstFinding(issue)
      return path.reduceRight<ParseResult.ParseIssue>(
        (inner, key) => new ParseResult.Pointer(key, given, inner),
        refuse(rule)
      )
    }
    const decoded: Effect.Effect<typeof Key.Type, ParseResult.ParseIssue, SecretFiles> =
      isObject && !("file" in given || "command" in given)
        ? ParseResult.decodeUnknown(Weighted)(given, options)
        : ParseResult.decodeUnknown(HeaderSecret)(given, options)
    return Effect.mapError(decoded, shown)
  },
  encode: (key) => ParseResult.succeed(key)
})
