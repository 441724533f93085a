import { Schema } from "effect"
import type { Budget } from "./Budget.ts"
import { mostBudgets, mostOfBudget, stepsOfWindow } from "./Budget.ts"
import { excludes, noExclusion } from "../callers/permission.ts"

/** True for an IANA name of a time zone. An offset such as +02:00 knows no daylight saving. */
const isZone = (name: string): boolean => {
  if (name !== "UTC" && !/^[A-Za-z]{1,30}(?:[/_+-][A-Za-z0-9]{1,30}){0,6}$/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

const lengths = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const

/** `24h` in ms; undefined if it is not a length of a window. */
const lengthOf = (text: string): number | undefined => {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})([dhm])$/.exec(text) ?? []
  if (unit !== "d" && unit !== "h" && unit !== "m") return undefined
  const ms = Number(count) * lengths[unit]
  return ms <= 366 * lengths.d ? ms : undefined
}

/** `24h`, as it is written in settings. */
export const lengthText = (ms: number): string => {
  if (ms % lengths.d === 0 && ms > lengths.d) return `${ms / lengths.d}d`
  return ms % lengths.h === 0 ? `${ms / lengths.h}h` : `${ms / lengths.m}m`
}

/** Nano-dollars of digits or a number; undefined if it is no amount that a budget may have. */
const nanoOf = (usd: string | number): number | undefined => {
  if (typeof usd === "string" && !/^\d{1,7}(?:\.\d{1,9})?$/.test(usd)) return undefined
  const nano = Math.round(Number(usd) * 1e9)
  return Number.isSafeInteger(nano) && nano > 0 && nano <= mostOfBudget ? nano : undefined
}

/** Longer ones are cut from requests. */
const longestTag = 129

const Count = Schema.Int.pipe(Schema.between(1, mostOfBudget))
const Pattern = Schema.NonEmptyString.pipe(
  Schema.maxLength(200),
  Schema.filter((pattern) => !excludes(pattern), { message: () => noExclusion })
)

/** A budget as settings and the admin API write it. */
export const WrittenBudget = Schema.Struct({
  usd: Schema.optional(
    Schema.Union(Schema.Number, Schema.String).pipe(
      Schema.filter((usd) => nanoOf(usd) !== undefined, {
        message: () => "expected dollars, more than 0 and at most 9,000,000",
        jsonSchema: { type: ["number", "string"] }
      })
    )
  ).annotations({ description: "The most that may be spent, in dollars." }),
  tokens: Schema.optional(Count).annotations({ description: "The most tokens, input and output." }),
  requests: Schema.optional(Count).annotations({ description: "The most requests." }),
  per: Schema.optional(Schema.Literal("day", "week", "month", "total")).annotations({
    description: "The calendar window; weeks begin on Monday. A total never begins again."
  }),
  zone: Schema.optional(
    Schema.String.pipe(
      Schema.filter(isZone, { message: () => "expected the name of a time zone, such as Europe/Berlin or UTC" })
    )
  ).annotations({ description: "The time zone of the calendar. Default `UTC`." }),
  rolling: Schema.optional(
    Schema.String.pipe(
      Schema.filter((text) => lengthOf(text) !== undefined, {
        message: () => "expected a number of days, hours or minutes, 366d at most, such as 24h, 7d, 90m"
      })
    )
  ).annotations({
    description: `The length of a window that ends now, \`24h\`. It moves in ${stepsOfWindow} steps.`
  }),
  models: Schema.optional(Schema.Array(Pattern).pipe(Schema.minItems(1), Schema.maxItems(100))).annotations({
    description: "Counts only requests for models that match one of these patterns."
  }),
  tag: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(longestTag))).annotations({
    description:
      "Counts only requests with this tag. With `*` (`customer=*`), each matching tag has a budget of its own."
  }),
  each: Schema.optional(Schema.Literal("end_user")).annotations({
    description: "`end_user`: each end user has a budget of its own, if the account has `trusts_end_user`."
  })
}).pipe(
  Schema.filter(({ per, requests, rolling, tokens, usd, zone }) => {
    if ([usd, tokens, requests].filter((given) => given !== undefined).length !== 1) {
      return "expected one of usd, tokens and requests"
    }
    if ((per === undefined) === (rolling === undefined)) return "expected either per or rolling"
    return zone === undefined || (per !== undefined && per !== "total")
      ? true
      : "expected zone only with per: day, week or month"
  })
)
export type WrittenBudget = typeof WrittenBudget.Type

/** The budgets of a key or an account. */
export const WrittenBudgets = Schema.Array(WrittenBudget).pipe(
  Schema.maxItems(mostBudgets),
  Schema.filter((all) => {
    const counted = all.map(countedBy)
    return new Set(counted).size === counted.length || "expected budgets of which no two count the same"
  })
)

const countedBy = (budget: WrittenBudget): string => JSON.stringify({ ...budgetFrom(budget), limit: 0 })

/** All budgets with another one, which replaces the one that counts the same. */
export const withBudget = (all: ReadonlyArray<WrittenBudget>, one: WrittenBudget): ReadonlyArray<WrittenBudget> => [
  ...withoutBudget(all, one),
  one
]

/** All budgets but the one that counts the same. */
export const withoutBudget = (all: ReadonlyArray<WrittenBudget>, one: WrittenBudget): ReadonlyArray<WrittenBudget> =>
  all.map((budget) => writtenFrom(budgetFrom(budget))).filter((budget) => countedBy(budget) !== countedBy(one))

export const budgetFrom = ({
  each,
  models,
  per,
  requests,
  rolling,
  tag,
  tokens,
  usd,
  zone = "UTC"
}: WrittenBudget): Budget => ({
  ...(usd !== undefined
    ? { unit: "usd", limit: nanoOf(usd) ?? 0 }
    : tokens !== undefined
      ? { unit: "tokens", limit: tokens }
      : { unit: "requests", limit: requests ?? 0 }),
  window:
    rolling !== undefined
      ? { rollingMs: lengthOf(rolling) ?? 0 }
      : per === "total" || per === undefined
        ? { per: "total" }
        : { per, zone },
  ...(models !== undefined && { models: models.toSorted() }),
  ...(tag !== undefined && { tag }),
  ...(each !== undefined && { each })
})

export const writtenFrom = ({ each, limit, models, tag, unit, window }: Budget): WrittenBudget => ({
  [unit]: unit === "usd" ? limit / 1e9 : limit,
  ...("rollingMs" in window ? { rolling: lengthText(window.rollingMs) } : window),
  ...(models !== undefined && { models }),
  ...(tag !== undefined && { tag }),
  ...(each !== undefined && { each })
})
