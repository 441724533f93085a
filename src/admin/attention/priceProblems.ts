import { Effect } from "effect"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { PriceLists } from "../../catalogue/store/PriceLists.ts"
import { Configuration } from "../../config/Configuration.ts"
import { showUsd } from "../../contract/text/showUsd.ts"
import { unpriced } from "../../ledger/Price.ts"
import { PriceDifferences } from "../../ledger/PriceDifferences.ts"
import { andMore, problem } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

const dayMs = 86_400_000
/** A list that is fetched regularly is old after this time, in ms. */
const oldListMs = 14 * dayMs
/** A price of another list is old after this time, in ms. */
const oldPriceMs = 120 * dayMs
/** Fetching the list is proposed after this time, in ms. */
const aMonthMs = 30 * dayMs

/** Models without a price, and prices that are old or not used. */
export const makePriceProblems = Effect.gen(function* () {
  const lists = yield* PriceLists
  const configuration = yield* Configuration
  const catalogue = yield* Catalogue
  const differences = yield* PriceDifferences

  const namesOf = (some: (routes: Model["routes"]) => boolean) =>
    [...catalogue.values()].filter(({ routes }) => some(routes)).map(({ id }) => id)

  /** A problem of models, if there are any. */
  const ofModels = (
    names: ReadonlyArray<string>,
    fields: Pick<Problem, "what" | "action"> & {
      readonly message: (names: string) => string
      readonly state?: string
      readonly isProposal?: true
    }
  ): ReadonlyArray<Problem> => {
    const [first] = names
    if (first === undefined) return []
    const id = fields.what === "model" && names.length === 1 ? first : null
    return [problem({ ...fields, id, message: fields.message(andMore(names)), page: "models" })]
  }

  const withoutPrice = () =>
    ofModels(
      namesOf((routes) => routes.every((route) => route.price === unpriced && route.unpriced !== "allow")),
      {
        what: "model",
        message: (names) =>
          configuration.current().value.unpriced === "allow"
            ? `${names} without a price: free of charge for callers, and their cost is not counted`
            : `${names} without a price: refused to metered accounts and keys with a budget`,
        action: "Give them a `price` in gateway.yaml, or fetch the public list: `gateway prices refresh`."
      }
    )

  /** Of the served models, those whose fetched price is not used because it moved more than tenfold. */
  const moved = () =>
    ofModels(
      namesOf((routes) => routes.some(({ pricedBy }) => pricedBy?.isHeld === true)),
      {
        what: "prices",
        state: "moved",
        message: (names) =>
          `${names}: the fetched list moves the price more than tenfold, so the one before counts until gateway prices refresh --accept`,
        action: "Compare both prices with `gateway prices refresh`, and take the new ones with `--accept`."
      }
    )

  const old = (nowMs: number) =>
    ofModels(
      namesOf((routes) =>
        routes.some(({ pricedBy: { asOf } = {} }) => asOf !== undefined && nowMs - Date.parse(asOf) > oldPriceMs)
      ),
      {
        what: "prices",
        state: "old",
        message: (names) => `${names}: the list with the price is more than ${oldPriceMs / dayMs} days old`,
        action: "Fetch the public list: `gateway prices refresh`, or regularly with `prices.refresh_hours`."
      }
    )

  /** Built-in prices of some age, where none are fetched. Older ones are a problem of their own. */
  const proposed = (nowMs: number) =>
    configuration.current().value.prices?.refresh_hours !== undefined
      ? []
      : ofModels(
          namesOf((routes) =>
            routes.some(({ pricedBy }) => {
              if (pricedBy?.from !== "built-in list" || pricedBy.asOf === undefined) return false
              const ageMs = nowMs - Date.parse(pricedBy.asOf)
              return ageMs > aMonthMs && ageMs <= oldPriceMs
            })
          ),
          {
            what: "prices",
            state: "built-in",
            isProposal: true,
            message: (names) => `${names}: the built-in list has the price, and lists change from week to week`,
            action:
              "Fetch the public list every day: `prices: { refresh_hours: 24 }` in gateway.yaml; once: `gateway prices refresh`."
          }
        )

  const staleList = (nowMs: number) =>
    Effect.map(lists.head, (head): ReadonlyArray<Problem> => {
      const { prices } = configuration.current().value
      if (prices?.refresh_hours === undefined || head === undefined) return []
      const fetchedAt = head.fetched_at ?? nowMs
      const isOld = nowMs - fetchedAt > Math.max(oldListMs, 2 * prices.refresh_hours * 3_600_000)
      const age = isOld ? [`it is ${Math.floor((nowMs - fetchedAt) / dayMs)} days old`] : []
      const why = [...(head.failure === null ? [] : [head.failure]), ...age]
      if (why.length === 0) return []
      return [
        problem({
          what: "prices",
          id: null,
          message: `the list of prices can't be refreshed: ${why.join("; ")}`,
          action: "Let the gateway reach the address of `prices.from`, then `gateway prices refresh`.",
          page: "models",
          state: "list"
        })
      ]
    })

  /** Prices that are not what providers charge: a list may be stale, a price of one's own too low. */
  const differing = (nowMs: number) =>
    differences.recent(nowMs).flatMap(({ computed, count, model, sinceMs, told, upstream }): ReadonlyArray<Problem> => {
      const route = catalogue.get(model)?.routes.find((one) => one.upstream === upstream)
      const isOwn = route?.pricedBy?.from === "gateway.yaml"
      // Its rates are for holds alone; and a margin is no mistake.
      if (route?.price.told === true || (isOwn && told < computed)) return []
      const [is, action] = isOwn
        ? [
            "the price in gateway.yaml",
            "Correct the model's `price`, or charge what the provider says with `told: true`."
          ]
        : [
            "the list's price",
            "Fetch the public list: `gateway prices refresh`, or write the model's `price` in gateway.yaml."
          ]
      const answers = count === 1 ? "an answer" : `${count} answers, the last`
      return [
        problem({
          what: "prices",
          id: null,
          message: `${model} at ${upstream}: ${is} may be stale: ${upstream} charged $${showUsd(told)} for ${answers} of $${showUsd(computed)} by the price`,
          action,
          page: `requests?${new URLSearchParams({ range: "24h", q: `upstream:${upstream} model:${model}` }).toString()}`,
          sinceMs,
          state: `differs ${upstream} ${model}`
        })
      ]
    })

  return (nowMs: number) =>
    Effect.map(staleList(nowMs), (stale) => [
      ...withoutPrice(),
      ...moved(),
      ...old(nowMs),
      ...differing(nowMs),
      ...proposed(nowMs),
      ...stale
    ])
})
