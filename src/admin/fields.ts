import { ParseResult, Schema } from "effect"
import type { Limits } from "../contract/callers/Caller.ts"
import type { SettingRow } from "../contract/callers/settingRows.ts"
import { answerField } from "../contract/fields.ts"
import { nanoUsd } from "../ledger/nanoUsd.ts"

const count = Schema.NullOr(
  Schema.Int.pipe(Schema.positive(), Schema.annotations({ description: "a whole number of 1 or more" }))
)

/** Settings in answers. */
export const settingAnswers = {
  switch: ({ says }: SettingRow) => answerField(Schema.Boolean, says),
  count: ({ says }: SettingRow) => answerField(Schema.NullOr(Schema.Int), says),
  patterns: ({ says }: SettingRow) => answerField(Schema.NullOr(Schema.Array(Schema.String)), says),
  names: ({ says }: SettingRow) => answerField(Schema.NullOr(Schema.Array(Schema.String)), says)
}

/** Limits in the admin API; null is no limit. */
export const LimitsRecord = Schema.Struct({
  requests_per_minute: answerField(count, "Requests a minute."),
  tokens_per_minute: answerField(count, "Input and output tokens a minute."),
  concurrent_requests: answerField(count, "Requests to models at once."),
  concurrent_tasks: answerField(count, "Unfinished tasks at once.")
}).annotations({ identifier: "Limits" })

/** A change of limits: absent fields stay, null removes a limit. */
export const LimitsPatch = Schema.Struct({
  requests_per_minute: Schema.optional(count).annotations({ description: "Requests a minute." }),
  tokens_per_minute: Schema.optional(count).annotations({ description: "Input and output tokens a minute." }),
  concurrent_requests: Schema.optional(count).annotations({ description: "Requests to models at once." }),
  concurrent_tasks: Schema.optional(count).annotations({ description: "Unfinished tasks at once." })
}).annotations({ identifier: "LimitsChange" })
export type LimitsPatch = typeof LimitsPatch.Type

/** Removes every limit. */
export const noLimits: LimitsPatch = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  concurrent_tasks: null
}

export const limitsRecord = (limits: Limits): typeof LimitsRecord.Type => ({
  requests_per_minute: limits.requestsPerMinute ?? null,
  tokens_per_minute: limits.tokensPerMinute ?? null,
  concurrent_requests: limits.concurrentRequests ?? null,
  concurrent_tasks: limits.concurrentTasks ?? null
})

export const patchedLimits = (before: Limits, patch: LimitsPatch): Limits => {
  const after = { ...limitsRecord(before), ...withoutUndefined(patch) }
  return {
    requestsPerMinute: after.requests_per_minute ?? undefined,
    tokensPerMinute: after.tokens_per_minute ?? undefined,
    concurrentRequests: after.concurrent_requests ?? undefined,
    concurrentTasks: after.concurrent_tasks ?? undefined,
    unfinished: before.unfinished
  }
}

const withoutUndefined = (patch: LimitsPatch): Partial<typeof LimitsRecord.Type> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))

const usdText = /^-?\d{1,7}(\.\d{1,9})?$/

/** An amount in digits: a number as small as 1e-7 would be written with its exponent. */
const digitsOf = (usd: string | number): string =>
  typeof usd === "number" && Number(usd.toFixed(9)) === usd ? usd.toFixed(9) : String(usd)

/** Dollars as people write them: `5`, `"12.50"`, `-0.000001`; nine decimals at most. */
export const Usd = Schema.Union(Schema.String, Schema.Number).pipe(
  Schema.filter((usd) => usdText.test(digitsOf(usd)), {
    description: 'an amount in dollars with at most nine decimals, such as 5 or "12.50"',
    jsonSchema: {
      type: ["string", "number"],
      pattern: "^-?[0-9]{1,7}(\\.[0-9]{1,9})?$",
      exclusiveMinimum: -10_000_000,
      exclusiveMaximum: 10_000_000,
      examples: [5, "12.50"]
    }
  })
)

/** Nano-dollars of a `Usd`. */
export const nanoUsdOf = (usd: string | number): number => {
  const digits = digitsOf(usd)
  const [whole = "0", decimals = ""] = digits.replace("-", "").split(".")
  const nano = Number(`${whole}${decimals.padEnd(9, "0")}`)
  return usdText.test(digits) ? (digits.startsWith("-") ? -nano : nano) : nanoUsd(Number(usd))
}

/** A list that may not be empty. OpenAPI says so; handlers check it, for their own error message. */
export const someOf = <A>(list: Schema.Schema<ReadonlyArray<A>>) =>
  list.pipe(Schema.filter(() => true, { jsonSchema: { minItems: 1 } }))

const Names = Schema.Array(Schema.NonEmptyString)

/**
 * At most `most` non-empty names. The length is checked first: validating two hundred thousand names would block the event
 * loop.
 */
export const namesUpTo = (most: number, what: string) =>
  Schema.declare(
    [Names],
    {
      decode: () => (input, options, ast) =>
        Array.isArray(input) && input.length > most
          ? ParseResult.fail(new ParseResult.Type(ast, input))
          : ParseResult.decodeUnknownEither(Names)(input, options),
      encode: () => (input) => ParseResult.encodeUnknownEither(Names)(input)
    },
    {
      description: `an array of at most ${most} ${what}`,
      jsonSchema: { type: "array", maxItems: most, items: { type: "string", minLength: 1 } }
    }
  )

/** Patterns of models. The model of every request is matched against all of them. */
export const Patterns = namesUpTo(1_000, "patterns")

/** An account id, chosen by the operator. */
export const AccountName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  Schema.annotations({ description: "a name of letters, digits, dots, dashes and underscores, 64 at most" })
)

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
