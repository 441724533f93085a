import { SqlClient } from "@effect/sql"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId, Caller } from "../contract/callers/Caller.ts"
import { UpstreamFailed } from "../contract/failures/Failure.ts"
import type { InsufficientBalance, Unpriced, QuotaExceeded, RateLimited } from "../contract/failures/Failure.ts"
import { wholeUsage } from "../generation/addUsage.ts"
import { testDouble } from "../contract/testDouble.ts"
import { Daemons } from "../flow/Daemons.ts"
import { DatabaseHealth } from "../sql/DatabaseHealth.ts"
import { costsWithin, unpaid } from "./aboveHold.ts"
import { addHeld } from "./addHeld.ts"
import { heldNanoUsd, makeAfford } from "./afford.ts"
import type { Priceable } from "./afford.ts"
import { mostCharged } from "./Balances.ts"
import type { Balance, HeldAmount } from "./Balances.ts"
import { BalanceStore } from "./BalanceStore.ts"
import type { Charge, Chargeable } from "./Charge.ts"
import { spentOf } from "./store/budgetCounters.ts"
import type { ServedOutcome, UsageRow } from "./store/usageRows.ts"
import { makeDurableHolds } from "./DurableHolds.ts"
import type { TaskHold } from "./DurableHolds.ts"
import { billOf } from "./billOf.ts"
import { makeObserved } from "./observed.ts"
import { PriceDifferences } from "./PriceDifferences.ts"
import { SumNames } from "./SumNames.ts"
import { PriceGaps } from "./store/PriceGaps.ts"
import { makeUnserved } from "./unserved.ts"
import { makeUsageLog } from "./UsageLog.ts"

/**
 * Balances, holds and charges. `BalanceOperations` decides where balances are: with SQLite in the memory of the one
 * process, with Postgres in the shared database. Usage is stored before the last byte of the answer is sent, the rows
 * of many requests in one commit, and is on disk within 20 ms, many commits in one fsync. Usage without a cost is
 * written a moment later.
 */
export class Ledger extends Effect.Service<Ledger>()("gateway/ledger/Ledger", {
  dependencies: [
    BalanceStore.Default,
    DatabaseHealth.Default,
    Daemons.Default,
    SumNames.Default,
    PriceDifferences.Default,
    PriceGaps.Default
  ],
  scoped: Effect.gen(function* () {
    const clock = yield* Effect.clock
    const durability = yield* DatabaseHealth
    const balances = yield* BalanceStore
    const observed = yield* makeObserved
    const names = yield* SumNames
    const { afford, refused } = makeAfford(balances)
    const sql = yield* SqlClient.SqlClient

    /** A request that costs money must not begin while its usage can't be stored. */
    const closed = (isCostly: boolean) =>
      isCostly && durability.trouble() !== undefined ? new UpstreamFailed({ message: cannotStore }) : undefined

    /**
     * Holds the request's maximum cost. The maximum is only computed for an account with a balance or a
     * budget of dollars; others have no spending limit.
     */
    const open = (request: Chargeable): Effect.Effect<Charge, NotAffordable | UpstreamFailed> => {
      const isCostly = mayCost(request)
      const trouble = closed(isCostly)
      if (trouble !== undefined) return Effect.fail(trouble)
      return balances.knows(request.caller) ? place(request, isCostly) : load(request, isCostly)
    }

    const load = (request: Chargeable, isCostly: boolean) =>
      Effect.flatMap(loaded(request.caller), () => place(request, isCostly))

    const loaded = (caller: Caller) => Effect.orDie(balances.load(caller, clock.unsafeCurrentTimeMillis()))

    /** Keeps the routes on which the caller may be answered. Fails if there is none, as `open` would. */
    const permit = (request: Priceable): Effect.Effect<void, Unpriced> => {
      const permitted = Effect.suspend(() => refused(request) ?? Effect.void)
      return Effect.suspend(() =>
        balances.knows(request.caller) ? permitted : Effect.zipRight(loaded(request.caller), permitted)
      )
    }

    const place = (request: Chargeable, isCostly: boolean): Effect.Effect<Charge, NotAffordable> => {
      const nowMs = clock.unsafeCurrentTimeMillis()
      return afford(request, (hold) =>
        balances.hold(
          request.caller,
          hold,
          nowMs,
          (held) => new OpenCharge(request, held, mostCharged(hold), isCostly, nowMs)
        )
      )
    }

    /** As `open` for a task. `store` stores the hold's row with the task. */
    const holding = <A, E>(
      hold: TaskHold,
      store: (row: Effect.Effect<void, RateLimited | SqlError>) => Effect.Effect<A, E>
    ): Effect.Effect<A, E | NotAffordable | UpstreamFailed> =>
      Effect.suspend((): Effect.Effect<A, E | NotAffordable | UpstreamFailed> => {
        const trouble = closed(mayCost(hold))
        if (trouble !== undefined) return Effect.fail(trouble)
        const placed = holds.storing(hold, store)
        return balances.knows(hold.caller) ? placed : Effect.zipRight(loaded(hold.caller), placed)
      })

    /** The number of open requests that may cost something. */
    let costly = 0
    const log = yield* makeUsageLog(balances, () => costly > 0)
    balances.beforeRefusing(log.flush)
    const unserved = makeUnserved({ append: log.append, names, clock })
    const holds = makeDurableHolds({ sql, balances, clock, observed, afford, names, unserved })

    /** One object per request. */
    class OpenCharge implements Charge {
      readonly #request: Chargeable
      #held: HeldAmount
      /** Infinity if no money is counted. */
      #mostNanoUsd: number
      readonly #isCostly: boolean
      /** When the request arrived, for prices by the hour. */
      readonly #openedMs: number
      #isOpen = true

      constructor(request: Chargeable, held: HeldAmount, mostNanoUsd: number, isCostly: boolean, openedMs: number) {
        this.#request = request
        this.#held = held
        this.#mostNanoUsd = mostNanoUsd
        this.#isCostly = isCostly
        this.#openedMs = openedMs
        if (isCostly) costly++
      }

      settle(used: Usage, outcome: ServedOutcome, estimated: boolean): Promise<void> | undefined {
        if (!this.#close()) return undefined
        const { caller } = this.#request
        const held = this.#held
        const row = this.#row(used, outcome, estimated)
        observed(row)
        balances.settle(caller, held, spentOf(row))
        const besides = unserved.unused(this.#request)
        const upstreamCostNanoUsd = row.upstreamCostNanoUsd + besides
        this.#request.tellCost?.({ ...row, upstreamCostNanoUsd })
        if (row.costNanoUsd > 0 && outcome === "finished") {
          return log.appendAwaited(row, () => {
            balances.unsettle(caller, held, spentOf(row))
            this.#request.tellCost?.({ ...row, ...unpaid(besides) })
          })
        }
        log.append(row)
        return undefined
      }

      extend(toNanoUsd: () => number): Effect.Effect<boolean> {
        return Effect.suspend(() => {
          if (this.#mostNanoUsd === Infinity) return Effect.succeed(true)
          const nanoUsd = toNanoUsd() - this.#mostNanoUsd
          if (nanoUsd <= 0) return Effect.succeed(true)
          if (!Number.isSafeInteger(nanoUsd)) return Effect.succeed(false)
          const { caller, labels, model } = this.#request
          const request = { ...labels, model, isFurther: true, mostTokens: () => 0 }
          const nowMs = clock.unsafeCurrentTimeMillis()
          return balances
            .hold(caller, { nanoUsd, request }, nowMs, (more) => this.#holdsMore(more))
            .pipe(
              Effect.orElseSucceed(() => false),
              Effect.uninterruptible
            )
        })
      }

      /** False if the request has ended meanwhile, or its first hold was released with its node. */
      #holdsMore(more: HeldAmount): boolean {
        const { held, rest } = this.#isOpen ? addHeld(this.#held, more) : { held: undefined, rest: more }
        if (rest !== undefined) balances.release(this.#request.caller, rest)
        if (held === undefined) return false
        this.#held = held
        this.#mostNanoUsd += more.nanoUsd
        return true
      }

      cut(used: Usage, estimated: boolean): void {
        if (!this.#close()) return
        balances.release(this.#request.caller, this.#held)
        this.#tellUnpaid(
          unserved.cut(this.#request, used, { estimated, atMs: this.#openedMs }) + unserved.unused(this.#request)
        )
      }

      #tellUnpaid(upstreamCostNanoUsd: number): void {
        this.#request.tellCost?.({ atMs: clock.unsafeCurrentTimeMillis(), ...unpaid(upstreamCostNanoUsd) })
      }

      #row(used: Usage, outcome: ServedOutcome, estimated: boolean): UsageRow {
        const { caller, model, requestId, upstream } = this.#request
        const { costLines, price, priceGap, ...bill } = billOf(this.#request.price, used, {
          atMs: this.#openedMs,
          estimated,
          heldNanoUsd: () => (this.#mostNanoUsd === Infinity ? heldNanoUsd(this.#request) : this.#mostNanoUsd)
        })
        const { account, key } = caller
        const atMs = clock.unsafeCurrentTimeMillis()
        return {
          atMs,
          requestId,
          account,
          key,
          model,
          summedAs: names.of({ account, model, atMs, isAnswered: true }),
          upstream,
          outcome,
          estimated,
          used: wholeUsage(used),
          price,
          priceGap,
          costLines,
          ...costsWithin(this.#mostNanoUsd, bill),
          held: this.#held
        }
      }

      release(): void {
        if (!this.#close()) return
        balances.release(this.#request.caller, this.#held)
        const nanoUsd = unserved.unused(this.#request)
        if (nanoUsd > 0) this.#tellUnpaid(nanoUsd)
      }

      /** False if it has ended already. */
      #close(): boolean {
        if (!this.#isOpen) return false
        this.#isOpen = false
        if (this.#isCostly) costly--
        return true
      }
    }

    /** An account's money as this process sees it, including the holds of running requests. */
    const balance = (account: AccountId): Effect.Effect<Balance> =>
      Effect.orDie(Effect.map(balances.balance(account), (known) => known ?? unmetered))

    const { chargeOf, end, generatedBy } = holds
    return { open, permit, holding, endHold: end, chargeOf, generatedBy, balance, flush: log.flush } as const
  })
}) {
  /** For tests: a method that is not given dies when it is called. */
  static readonly Test = (given: Partial<Omit<Ledger, "_tag">>) => testDouble(Ledger, given)
}

const cannotStore = "The gateway can't store at the moment what this request would cost; try again later"

const mayCost = (request: Chargeable): boolean => request.offers?.mayCost ?? !request.price.isFree

type NotAffordable = InsufficientBalance | QuotaExceeded | RateLimited | Unpriced

const unmetered: Balance = { granted: undefined, settled: 0, held: 0 }
