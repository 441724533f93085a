import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { DeliveryList } from "../callbacks/store/DeliveryList.ts"
import { Daemons } from "../flow/Daemons.ts"
import { Budgets } from "../access/store/Budgets.ts"
import { balanceWords, budgetWords } from "./budgetWords.ts"
import { BalanceStanding } from "../ledger/store/BalanceStanding.ts"
import { usualShares } from "../config/sections/Alerts.ts"
import { unpriced } from "../ledger/Price.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { PriceLists } from "../catalogue/store/PriceLists.ts"
import { Configuration } from "../config/Configuration.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import type { Attention } from "./OverviewRecord.ts"
import { Troubles } from "./store/Troubles.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A fetched list of prices is old after this time, in ms. */
const oldListMs = 14 * dayMs
/** Keys that expire within this time are reported. */
const expiryNoticeMs = 7 * dayMs
/** Failures are reported from this many requests and this error rate on. */
const minRequests = 20
const minErrorRate = 0.2

/** A problem, with the state that an alert tells once. */
export interface Problem extends Attention {
  readonly name: string
  /** The names of states that it includes: they are not told, and not over while it lasts. */
  readonly lesser?: ReadonlyArray<string>
  readonly isAlert: boolean
}

/** Current problems that need the operator's attention, and the backlog. */
export class AttentionNow extends Effect.Service<AttentionNow>()("gateway/admin/AttentionNow", {
  dependencies: [Troubles.Default, BalanceStanding.Default, Budgets.Default, DeliveryList.Default, PriceLists.Default],
  effect: Effect.gen(function* () {
    const troubles = yield* Troubles
    const balances = yield* BalanceStanding
    const budgets = yield* Budgets
    const listed = yield* DeliveryList
    const lists = yield* PriceLists
    const configuration = yield* Configuration
    const bulkheads = yield* Bulkheads
    const catalogue = yield* Catalogue
    const daemons = yield* Daemons
    const tasks = yield* TaskStore
    const deliveries = yield* Deliveries

    const one = (
      level: Attention["level"],
      what: Attention["what"],
      id: string | null,
      message: string,
      state?: string,
      lesser: ReadonlyArray<string> = []
    ): Problem => {
      const nameOf = (state?: string) => [what, id ?? "", ...(state === undefined ? [] : [state])].join(":")
      return { level, what, id, message, name: nameOf(state), lesser: lesser.map(nameOf), isAlert: what !== "model" }
    }

    const background = Effect.map(daemons.failing, (names) =>
      names.map((name) => one("error", "daemon", name, `${name}: this background daemon fails; see the log`))
    )

    /** Failover hides an upstream that fails from callers, not from the operator. */
    const behindOthers = (name: string) => {
      const models = [...catalogue.values()].filter(({ routes }) => routes.some(({ upstream }) => upstream === name))
      return models.length > 0 && models.every(({ routes }) => routes.some(({ upstream }) => upstream !== name))
        ? "; other routes answer for it"
        : ""
    }

    const circuits = Effect.map(Clock.currentTimeMillis, (nowMs) =>
      [...bulkheads].flatMap(([name, { circuit }]) =>
        circuit.state(nowMs) === "closed"
          ? []
          : [
              one(
                "error",
                "upstream",
                name,
                `${name} fails: no calls for ${Math.ceil(circuit.waitMs(nowMs) / 1_000)} s${behindOthers(name)}`
              )
            ]
      )
    )

    const failures = (nowMs: number) =>
      Effect.map(troubles.recentRequests(nowMs - (nowMs % hourMs) - hourMs), (rows) =>
        rows
          .filter(({ errors, requests }) => requests >= minRequests && errors / requests >= minErrorRate)
          .map(({ errors, requests, upstream }) =>
            one("warning", "upstream", upstream, `${upstream}: ${errors} of the last ${requests} requests failed`)
          )
      )

    const callbacks = (nowMs: number) =>
      Effect.map(listed.list({ state: "failed", sinceMs: nowMs - dayMs, limit: 100 }), ({ length }) =>
        length === 0
          ? []
          : [
              one(
                "warning",
                "delivery",
                null,
                `${length === 100 ? "100 or more" : length} callbacks failed for good in the last day`
              )
            ]
      )

    const sharesNow = () =>
      (configuration.current().value.alerts?.budget_at ?? usualShares).toSorted((one, other) => other - one)

    /** The same of budgets, in each of their windows. */
    const budgeted = (nowMs: number) =>
      Effect.map(budgets.standing, (rows) => {
        const shares = sharesNow()
        return rows.flatMap((standing) => {
          const { beganAtMs = 0, meter, ratio } = standing
          const share = shares.find((one) => ratio >= one)
          if (share === undefined) return []
          const [what, id] =
            meter.key === undefined ? (["account", meter.account] as const) : (["key", meter.key] as const)
          const window = "rollingMs" in meter.budget.window ? 0 : beganAtMs
          const stateOf = (share: number) => `${meter.id} ${share} ${window}`
          const lesser = shares.filter((other) => other < share).map(stateOf)
          return [one("warning", what, id, budgetWords(standing, nowMs), stateOf(share), lesser)]
        })
      })

    /** Balances from the first share of `budget_at` on, each with the highest share that it has reached. */
    const used = Effect.map(balances.all, (rows) => {
      const shares = sharesNow()
      return rows.flatMap((balance) => {
        const reached = shares.find((share) => balance.usedShare >= share)
        const share = balance.leftNanoUsd <= 0 ? 1 : reached
        const lesser = shares.filter((other) => other < (share ?? 0)).map(String)
        return share === undefined
          ? []
          : [one("warning", "account", balance.account, balanceWords(balance), `${share}`, lesser)]
      })
    })

    const expiring = (nowMs: number) =>
      Effect.map(troubles.expiring(nowMs, nowMs + expiryNoticeMs), (rows) =>
        rows.map(({ expires_at, id, name }) =>
          one("warning", "key", id, `${name} expires in ${Math.ceil((expires_at - nowMs) / hourMs)} h`)
        )
      )

    const withoutPrice = Effect.sync(() => {
      const names = [...catalogue.values()]
        .filter(({ routes }) => routes.every(({ price }) => price === unpriced))
        .map(({ id }) => id)
      const [first] = names
      if (first === undefined) return []
      const others = names.length === 1 ? "" : ` and ${names.length - 1} more`
      return [
        one(
          "warning",
          "model",
          names.length === 1 ? first : null,
          `${first}${others} without a price: refused to metered accounts and keys with a budget`
        )
      ]
    })

    /** Of the served models, those whose fetched price is not used because it moved more than tenfold. */
    const movedPrices = Effect.sync(() => {
      const names = [...catalogue.values()]
        .filter(({ routes }) => routes.some(({ pricedBy }) => pricedBy?.isHeld === true))
        .map(({ id }) => id)
      const [first] = names
      if (first === undefined) return []
      const others = names.length === 1 ? "" : ` and ${names.length - 1} more`
      return [
        one(
          "warning",
          "prices",
          null,
          `${first}${others}: the fetched list moves the price more than tenfold, so the one before counts until gateway prices refresh --accept`,
          "moved"
        )
      ]
    })

    const staleList = (nowMs: number) =>
      Effect.gen(function* () {
        const head = yield* lists.head
        const { prices } = configuration.current().value
        if (prices?.refresh_hours === undefined || head === undefined) return []
        const fetchedAt = head.fetched_at ?? nowMs
        const isOld = nowMs - fetchedAt > Math.max(oldListMs, 2 * prices.refresh_hours * hourMs)
        const age = isOld ? [`it is ${Math.floor((nowMs - fetchedAt) / dayMs)} days old`] : []
        const failed = head.failure === null ? [] : [head.failure]
        return isOld || failed.length > 0
          ? [
              one(
                "warning",
                "prices",
                null,
                `the list of prices can't be refreshed: ${[...failed, ...age].join("; ")}`,
                "list"
              )
            ]
          : []
      })

    const problems: Effect.Effect<ReadonlyArray<Problem>, SqlError | StoreFailure> = Effect.flatMap(
      Clock.currentTimeMillis,
      (nowMs) =>
        Effect.map(
          Effect.all([
            background,
            circuits,
            failures(nowMs),
            callbacks(nowMs),
            used,
            budgeted(nowMs),
            expiring(nowMs),
            withoutPrice,
            movedPrices,
            staleList(nowMs)
          ]),
          (problems) => problems.flat().toSorted((a, b) => (a.level === b.level ? 0 : a.level === "error" ? -1 : 1))
        )
    )

    const attention = Effect.map(problems, (all): ReadonlyArray<Attention> =>
      all.map(({ id, level, message, what }) => ({ level, what, id, message }))
    )

    const queue = Effect.gen(function* () {
      let waiting = 0
      for (const { slots } of bulkheads.values()) waiting += slots?.waiting ?? 0
      const active = yield* tasks.active
      return {
        tasks: active.reduce((sum, { n }) => sum + n, 0),
        deliveries: (yield* deliveries.pending).count,
        waiting
      }
    })

    return { attention, problems, queue } as const
  })
}) {}
