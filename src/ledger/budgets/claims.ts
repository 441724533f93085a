import { Schema } from "effect"
import { AccountId } from "../../contract/callers/Caller.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import { matches } from "../../contract/text/matches.ts"
import { personOf } from "./endUser.ts"
import { hashOf, metersOf } from "./meters.ts"
import type { Meter } from "./meters.ts"
import type { Place } from "./windows.ts"

/** A request as budgets see it. */
export interface Countable {
  readonly model: string
  /** Further names of its model, and those of the model that is asked in its place. */
  readonly names?: ReadonlyArray<string> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly endUser?: string | undefined
  /** True for more money of a request that has claims already: budgets in other units are not asked again. */
  readonly isFurther?: boolean | undefined
  /** The most tokens that it may use; called only for a budget of tokens. */
  readonly mostTokens: () => number
}

/** An amount to hold in a budget's counter. */
export interface Claim {
  readonly meter: Meter
  /** The counter of a tag or an end user (`=…`), of all that have none of their own (`other`), or of all requests (empty). */
  subject: string
  readonly place: Place
  /** In the budget's unit. */
  readonly amount: number
}

/** The counter of tags and end users for which an account has no room. */
export const other = "*"

/** An amount held in a budget's counter. */
export const HeldBudget = Schema.Struct({
  budget: Schema.String,
  subject: Schema.String,
  step: Schema.Int,
  account: AccountId,
  endsAt: Schema.Int,
  unit: Schema.Literal("usd", "tokens", "requests"),
  amount: Schema.Int
})
export type HeldBudget = typeof HeldBudget.Type
export const HeldBudgetsJson = Schema.parseJson(Schema.Array(HeldBudget))

export const heldOf = ({ amount, meter, place, subject }: Claim): HeldBudget => ({
  budget: meter.id,
  subject,
  step: place.step,
  account: meter.account,
  endsAt: place.endsAt,
  unit: meter.budget.unit,
  amount
})

/** The amounts to hold for a request, at this moment. A request that costs nothing may pass a budget of dollars. */
export const claimsOf = (
  caller: Caller,
  request: Countable | undefined,
  nanoUsd: number,
  nowMs: number
): ReadonlyArray<Claim> => {
  const meters = metersOf(caller)
  if (meters.length === 0 || request === undefined) return none
  return meters.flatMap((meter): ReadonlyArray<Claim> => {
    const isMoney = meter.budget.unit === "usd"
    if (isMoney ? nanoUsd === 0 : request.isFurther === true) return none
    const subjects = subjectsOf(meter, request)
    if (subjects.length === 0) return none
    const amount = amountOf(meter, request, nanoUsd)
    const place = meter.placeOf(nowMs)
    return subjects.map((subject): Claim => ({ meter, subject, place, amount }))
  })
}

const none: ReadonlyArray<never> = []

const amountOf = ({ budget: { unit } }: Meter, request: Countable, nanoUsd: number): number =>
  unit === "usd" ? nanoUsd : unit === "requests" ? 1 : Math.ceil(request.mostTokens())

/** The counters of a budget that a request belongs to; none if the budget is not for it. */
const subjectsOf = ({ budget, countsEndUsers }: Meter, request: Countable): ReadonlyArray<string> => {
  const { models, tag } = budget
  if (models !== undefined && !models.some((pattern) => isForModel(pattern, request))) return none
  const person = countsEndUsers ? (request.endUser === undefined ? "" : personOf(request.endUser)) : undefined
  if (tag === undefined) return [person === undefined ? "" : ownSubject(undefined, person)]
  const tags = new Set((request.tags ?? none).filter((one) => matches(tag, one)))
  if (tags.size === 0) return none
  if (!tag.includes("*")) return [person === undefined ? "" : ownSubject(undefined, person)]
  return [...tags].map((one) => ownSubject(one, person))
}

const isForModel = (pattern: string, { model, names = none }: Countable): boolean =>
  matches(pattern, model) || names.some((name) => matches(pattern, name))

const ownSubject = (tag: string | undefined, person: string | undefined): string =>
  `=${hashOf(JSON.stringify([tag ?? null, person ?? null]))}`

/** A request's final use. */
export interface Spent {
  readonly nanoUsd: number
  readonly tokens: number
  readonly requests: number
}

export const nothingSpent: Spent = { nanoUsd: 0, tokens: 0, requests: 0 }

export const spentIn = ({ unit }: Pick<HeldBudget, "unit">, { nanoUsd, requests, tokens }: Spent): number =>
  unit === "usd" ? nanoUsd : unit === "tokens" ? tokens : requests
