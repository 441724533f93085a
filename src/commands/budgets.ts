import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, ParseResult, Schema } from "effect"
import { parse } from "yaml"
import { scopeText } from "../contract/text/scopeText.ts"
import { withBudget, withoutBudget, WrittenBudgets } from "../contract/budgets/WrittenBudget.ts"
import type { WrittenBudget } from "../contract/budgets/WrittenBudget.ts"
import { usdText } from "../contract/text/usdText.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { shorten } from "../contract/text/shorten.ts"
import { money } from "../ledger/Money.ts"
import type { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { keyNamed } from "./keyNamed.ts"
import { help, json, limit, print, shortTime, usdOption } from "./options.ts"
import { Operator } from "./operator/Operator.ts"

const budgetsOption = Options.text("budgets").pipe(
  Options.withPseudoName("LIST|none"),
  Options.withDescription(
    "All budgets, as in gateway.yaml: '[{ usd: 50, per: month }, { tokens: 1000000, rolling: 24h }]'; none removes them."
  ),
  Options.optional
)

/** The budgets of a key or an account, and short forms of the usual ones. */
export const budgetOptions = {
  budget: usdOption("budget", "The most it can spend, in dollars, in each --budget-period; other budgets stay."),
  budgetPeriod: Options.choice("budget-period", ["day", "month"]).pipe(
    Options.withDescription("The UTC day or month of --budget (month)."),
    Options.withDefault("month")
  ),
  requestsPerDay: limit("requests-per-day", "Requests a UTC day, as a budget; other budgets stay"),
  budgets: budgetsOption
}

const decode = Schema.decodeUnknown(WrittenBudgets)

type GivenBudgets = Command.Command.ParseConfig<typeof budgetOptions>

/**
 * The options' budgets; undefined if none is given.
 *
 * @param current the budgets that short forms are added to
 */
export const budgetsOf = <E, R>(
  { budget, budgetPeriod, budgets: given, requestsPerDay }: GivenBudgets,
  current: Effect.Effect<ReadonlyArray<WrittenBudget>, E, R>
): Effect.Effect<ReadonlyArray<WrittenBudget> | null | undefined, E | InvalidRequest, R> => {
  const complain = (why: string) => new InvalidRequest({ param: "budgets", message: `--budgets: ${why}` })
  if (Option.isSome(budget) || Option.isSome(requestsPerDay)) {
    if (Option.isSome(given)) return complain("expected either --budgets or its short forms")
    return Effect.map(current, (all) => {
      const spending = Option.isNone(budget)
        ? all
        : withBudget(all, { usd: money(budget.value).usd, per: budgetPeriod })
      if (Option.isNone(requestsPerDay)) return spending
      const requests = requestsPerDay.value
      return requests === null
        ? withoutBudget(spending, { requests: 1, per: "day" })
        : withBudget(spending, { requests, per: "day" })
    })
  }
  if (Option.isNone(given)) return Effect.succeed(undefined)
  if (given.value === "none") return Effect.succeed(null)
  return Effect.try({
    try: (): unknown => parse(given.value),
    catch: () => complain(`expected a list as in gateway.yaml; got ${shorten(given.value)}`)
  }).pipe(
    Effect.flatMap((value) =>
      Effect.mapError(decode(value, { onExcessProperty: "error" }), (error) =>
        complain(
          ParseResult.ArrayFormatter.formatErrorSync(error)
            .map(({ message, path }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
            .slice(0, 1)
            .join()
        )
      )
    )
  )
}

/** `$2 of $50 a month`. */
export const budgetText = (budget: BudgetRecord): string => {
  const { requests, tokens, usd, used } = budget
  const [most, unit] =
    usd !== undefined ? [usd, ""] : tokens !== undefined ? [tokens, " tokens"] : [requests ?? 0, " requests"]
  const amount = (of: number) => (usd === undefined ? of.toLocaleString("en") : usdText(of))
  return `${amount(used)} of ${amount(most)}${unit} ${scopeText(budget)}`
}

/** `$2 of $50 a month, until 2026-12-01 00:00`. */
const budgetShown = (budget: BudgetRecord): string =>
  budget.ends_at === null ? budgetText(budget) : `${budgetText(budget)}, until ${shortTime(budget.ends_at)}`

/** A line for each budget. */
export const budgetLines = (budgets: ReadonlyArray<BudgetRecord>): ReadonlyArray<string> => budgets.map(budgetShown)

const ofKey = Command.make(
  "reset-budgets",
  { id: Args.text({ name: "id" }).pipe(Args.withDescription("The key's id (key_…), or its name.")), json },
  ({ id, json }) =>
    administer(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const key = yield* keys.resetBudgets(yield* keyNamed(id))
        yield* print(json, key, () => `The budgets of ${key.id} "${key.name}" count from 0 again.`)
      })
    )
).pipe(Command.withDescription(help("Let a key's budgets count from 0 again.", "gateway keys reset-budgets ci")))

const ofAccount = Command.make(
  "reset-budgets",
  { id: Args.text({ name: "account" }).pipe(Args.withDescription("The account's id.")), json },
  ({ id, json }) =>
    administer(
      Effect.gen(function* () {
        const { accounts } = yield* Operator
        const account = yield* accounts.resetBudgets(id)
        yield* print(
          json,
          account,
          () => `The budgets of the account ${id} count from 0 again; those of its keys go on.`
        )
      })
    )
).pipe(
  Command.withDescription(
    help("Let an account's own budgets count from 0 again.", "gateway accounts reset-budgets team-a")
  )
)

export const resetKeyBudgets = remoteLeaf(ofKey)
export const resetAccountBudgets = remoteLeaf(ofAccount)
