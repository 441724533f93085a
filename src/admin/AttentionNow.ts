import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { DeliveryList } from "../callbacks/store/DeliveryList.ts"
import { Daemons } from "../flow/Daemons.ts"
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
/** Keys that expire within this time are reported. */
const expiryNoticeMs = 7 * dayMs
/** Failures are reported from this many requests and this error rate on. */
const minRequests = 20
const minErrorRate = 0.2
const maxAccounts = 200

/** Current problems that need the operator's attention, and the backlog. */
export class AttentionNow extends Effect.Service<AttentionNow>()("gateway/admin/AttentionNow", {
  dependencies: [Troubles.Default, Accounts.Default, DeliveryList.Default, PriceLists.Default],
  effect: Effect.gen(function* () {
    const troubles = yield* Troubles
    const accounts = yield* Accounts
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
      message: string
    ): Attention => ({
      level,
      what,
      id,
      message
    })

    const background = Effect.map(daemons.failing, (names) =>
      names.map((name) => one("error", "daemon", name, `${name}: this background daemon fails; see the log`))
    )

    const circuits = Effect.map(Clock.currentTimeMillis, (nowMs) =>
      [...bulkheads].flatMap(([name, { circuit }]) =>
        circuit.state(nowMs) === "closed"
          ? []
          : [
              one(
                "error",
                "upstream",
                name,
                `${name} fails: no calls for ${Math.ceil(circuit.waitMs(nowMs) / 1_000)} s`
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

    const empty = Effect.map(accounts.list({ offset: 0, limit: maxAccounts }), (rows) =>
      rows
        .filter(
          ({ granted_nano_usd, held, settled_nano_usd }) =>
            granted_nano_usd !== null && granted_nano_usd - settled_nano_usd - held <= 0
        )
        .map(({ id }) => one("warning", "account", id, `${id} has spent its balance: its requests are refused`))
    )

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
          `${first}${others}: the fetched list moves the price more than tenfold, so the one before counts until gateway prices refresh --accept`
        )
      ]
    })

    const staleList = Effect.gen(function* () {
      const { failure } = (yield* lists.head) ?? { failure: null }
      const { prices } = configuration.current().value
      return prices?.refresh_hours === undefined || failure === null
        ? []
        : [one("warning", "prices", null, `the list of prices can't be refreshed: ${failure}`)]
    })

    const attention: Effect.Effect<ReadonlyArray<Attention>, SqlError | StoreFailure> = Effect.flatMap(
      Clock.currentTimeMillis,
      (nowMs) =>
        Effect.map(
          Effect.all([
            background,
            circuits,
            failures(nowMs),
            callbacks(nowMs),
            empty,
            expiring(nowMs),
            withoutPrice,
            movedPrices,
            staleList
          ]),
          (problems) => problems.flat().toSorted((a, b) => (a.level === b.level ? 0 : a.level === "error" ? -1 : 1))
        )
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

    return { attention, queue } as const
  })
}) {}
