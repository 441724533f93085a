import { HelpDoc, Options } from "@effect/cli"
import { Console, Effect, Option, Schema } from "effect"
import { Usd, nanoUsdOf } from "../admin/fields.ts"
import type { LimitsPatch } from "../admin/fields.ts"
import { readTime } from "../contract/timeQuery.ts"

/** Help with examples below it. */
export const help = (what: string, ...examples: ReadonlyArray<string>): HelpDoc.HelpDoc =>
  examples.length === 0
    ? HelpDoc.p(what)
    : HelpDoc.blocks([HelpDoc.p(what), HelpDoc.p("Examples:"), ...examples.map((line) => HelpDoc.p(`  ${line}`))])

export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON, for scripts."))

/** For lists, which leave columns out in a narrow terminal. */
export const wide = Options.boolean("wide").pipe(Options.withDescription("Show every column, however long the lines."))

/** Prints a value as JSON, or as the text of `words`. */
export const print = (asJson: boolean, value: unknown, words: () => string) =>
  Console.log(asJson ? JSON.stringify(value, null, 2) : words())

export const optionalText = (name: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName(name.toUpperCase()),
    Options.withDescription(description),
    Options.optional
  )

export const account = optionalText("account", "Only this account's.")

export const limitOption = (usual: number, most = 100_000) =>
  Options.integer("limit").pipe(
    Options.filterMap(
      (count) => (count >= 1 && count <= most ? Option.some(count) : Option.none()),
      `--limit: expected 1 to ${most}`
    ),
    Options.withDescription(`Rows at most (${usual}).`),
    Options.withDefault(usual)
  )

/** The values of an option that is repeated or separated by commas. */
export const listOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "")

/** Models, or patterns of them. */
export const modelsOption = (name: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName("MODEL"),
    Options.withDescription(`${description}; repeat it or separate with commas.`),
    Options.repeated
  )

/** Warns of patterns of models that match none, on standard error. */
export const warnOfUnmatched = (
  name: string,
  { unmatched_models = [] }: { readonly unmatched_models?: ReadonlyArray<string> | undefined }
) =>
  Effect.forEach(
    unmatched_models,
    (pattern) => Effect.logWarning(`"${name}" names "${pattern}", which no model of the gateway matches`),
    { discard: true }
  )

const isUsd = Schema.is(Usd)

export const usdOption = (name: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName("USD"),
    Options.filterMap(
      (text) => (isUsd(text) ? Option.some(nanoUsdOf(text)) : Option.none()),
      `--${name}: expected an amount in dollars with at most nine decimals, such as 5 or 12.50`
    ),
    Options.withDescription(description),
    Options.optional
  )

export const moment = (name: string, description: string) =>
  Options.text(name).pipe(
    Options.withPseudoName("TIME"),
    Options.filterMap(
      (text) => (readTime(text, 0) === undefined ? Option.none() : Option.some(text)),
      `--${name}: expected how long ago (30m, 24h, 7d), a UTC day (2026-01-31, today, yesterday), this-month or a time (2026-01-31T12:00:00Z)`
    ),
    Options.withDescription(description)
  )

/** A limit: a number, or `none` (null) to remove it. */
export const limit = (name: string, what: string) =>
  Options.text(name).pipe(
    Options.withPseudoName("N|none"),
    Options.filterMap(
      (text) =>
        text === "none" ? Option.some(null) : /^[1-9]\d{0,9}$/.test(text) ? Option.some(Number(text)) : Option.none(),
      `--${name}: expected a whole number of 1 or more, or none`
    ),
    Options.withDescription(`${what}; none removes the limit.`),
    Options.optional
  )

export const limits = {
  requestsPerMinute: limit("requests-per-minute", "Requests a minute"),
  tokensPerMinute: limit("tokens-per-minute", "Input and output tokens a minute"),
  concurrentRequests: limit("concurrent-requests", "Requests to models at once"),
  concurrentTasks: limit("concurrent-tasks", "Unfinished tasks at once")
}

/** Use of models without a price. @param above the source of `inherit`'s value */
export const unpricedOption = (above: string) =>
  Options.choice("unpriced", ["allow", "refuse", "inherit"]).pipe(
    Options.withDescription(`Use of models without a price while money is counted; inherit: the setting of ${above}.`),
    Options.optional
  )

export const unpricedOf = (given: Option.Option<"allow" | "refuse" | "inherit">) =>
  Option.isNone(given) ? {} : { unpriced: given.value === "inherit" ? null : given.value }

type Given = { readonly [K in keyof typeof limits]: Option.Option<number | null> }

export const limitsOf = (given: Given): LimitsPatch => ({
  requests_per_minute: Option.getOrUndefined(given.requestsPerMinute),
  tokens_per_minute: Option.getOrUndefined(given.tokensPerMinute),
  concurrent_requests: Option.getOrUndefined(given.concurrentRequests),
  concurrent_tasks: Option.getOrUndefined(given.concurrentTasks)
})

/** Limits as a table cell. */
export const limitsShown = (limits: {
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: number | null
  readonly concurrent_requests: number | null
  readonly concurrent_tasks: number | null
}): string =>
  (
    [
      [limits.requests_per_minute, "requests/min"],
      [limits.tokens_per_minute, "tokens/min"],
      [limits.concurrent_requests, "requests at once"],
      [limits.concurrent_tasks, "tasks at once"]
    ] as const
  )
    .flatMap(([count, what]) => (count === null ? [] : [`${count} ${what}`]))
    .join(", ")

/** An ISO time as a table cell, to the minute: `2026-01-31 12:00`. */
export const shortTime = (iso: string | null): string => (iso === null ? "" : iso.slice(0, 16).replace("T", " "))
