import type { SqlClient } from "@effect/sql"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schedule } from "effect"
import type { Clock } from "effect"
import { wholeUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"
import type { Limits } from "../contract/callers/Caller.ts"
import { credential } from "../contract/callers/credential.ts"
import { RateLimited } from "../contract/failures/Failure.ts"
import type { Unpriced } from "../contract/failures/Failure.ts"
import { costsWithin, unpaid } from "./aboveHold.ts"
import { heldNanoUsd } from "./afford.ts"
import type { makeAfford } from "./afford.ts"
import { mostCharged } from "./Balances.ts"
import { holdStatements } from "./store/holds.ts"
import type { EndedHold } from "./store/holds.ts"
import type { ServedOutcome, UsageRow } from "./store/usageRows.ts"
import type { Charge, Chargeable } from "./Charge.ts"
import type { BalanceOperations, Refused } from "./BalanceOperations.ts"
import type { Unserved } from "./unserved.ts"
import type { SumNames } from "./SumNames.ts"
import { priceFromText } from "./Price.ts"
import type { Price } from "./Price.ts"
import { billOf } from "./billOf.ts"
import type { Observed } from "./observed.ts"
import { moreOfHold, taskOfHold } from "./partHold.ts"

/** Money for work that outlives the request and the process that accepted it. */
export interface TaskHold extends Chargeable {
  /** The task's id, or that of its part (`partHold`). */
  readonly id: string
  /** Limits of the model, beside those of the key and its account. */
  readonly modelLimits?: SharedLimits | undefined
}

/** A model's limits with those of its other names. */
export interface SharedLimits {
  readonly bounds: Limits
  /** The model or wildcard whose limits these are. */
  readonly name: string
  /** True for a model to which they apply. */
  readonly includes: (model: string) => boolean
}

/** The usage of a task that succeeded. */
export interface Used {
  readonly used: Usage
  /** True if the gateway counted it because the upstream did not report it. */
  readonly estimated: boolean
  /** The upstream bills it, but its answer was not delivered: the caller pays nothing, and its row has no tokens. */
  readonly isUndelivered?: true
  /** `hang-up` if the task was ended early; `finished` if absent. */
  readonly outcome?: ServedOutcome | undefined
  /** The upstream that answered, if it was not known when the hold was placed. */
  readonly upstream?: string | undefined
  /** The hold that it would need, if no money is counted and that is known. */
  readonly heldNanoUsd?: number | undefined
  /** The price there; absent if it is the hold's. */
  readonly price?: Price | undefined
}

/** A row to store in the transaction that stores the task. */
type RowWrite = Effect.Effect<void, RateLimited | SqlError>

interface Needs {
  readonly sql: SqlClient.SqlClient
  readonly balances: BalanceOperations
  readonly clock: Clock.Clock
  readonly observed: Observed
  readonly names: Pick<SumNames, "of">
  readonly afford: ReturnType<typeof makeAfford>["afford"]
  readonly unserved: Unserved
}

/**
 * Holds as rows: confirmed in the transaction that stores a task and ended in the one that ends it, so no crash can
 * separate them. The money is reserved first, so that other requests can't spend it.
 */
export const makeDurableHolds = ({ afford, balances, clock, names, observed, sql, unserved }: Needs) => {
  /** The usage of async generations, until their tasks have ended. */
  const generated = new NamedSlots<Used>()

  /**
   * Holds the maximum cost of a task and stores it with the hold's row. Fails without storing anything if the money or
   * the limit of concurrent tasks does not suffice. The caller's balance must be known (`Ledger.holding`).
   *
   * @param store runs once the task's routes within the budget are known
   */
  const storing = <A, E>(
    hold: TaskHold,
    store: (row: RowWrite) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | Refused | Unpriced> =>
    Effect.suspend((): Effect.Effect<A, E | Refused | Unpriced> => {
      const atMs = clock.unsafeCurrentTimeMillis()
      const placed = afford(hold, (held) => {
        const { caller, id, model, price, requestId, upstream } = hold
        const { account, key } = caller
        const { isUncounted = false, nanoUsd } = held
        const row = { id, atMs, requestId, account, key, model, upstream, price: price.text, nanoUsd, isUncounted }
        return balances.holdForTask(caller, held, row, atMs)
      })
      return Effect.flatMap(placed, ({ stored, undo }) => Effect.tapErrorCause(store(within(hold, stored)), () => undo))
      // The row may be written although the caller has left.
    }).pipe(Effect.uninterruptible)

  const rows = holdStatements(sql)

  const within = (hold: TaskHold, stored: Effect.Effect<unknown, SqlError>): RowWrite => {
    // A part counts with its task.
    const isPart = taskOfHold(hold.id) !== hold.id
    const bounds = isPart ? [] : boundsOf(hold).filter(({ most }) => most !== undefined)
    return bounds.length === 0
      ? Effect.asVoid(stored)
      : Effect.zipRight(
          Effect.forEach(bounds, (bound) => withinBound(rows, bound), { discard: true }),
          Effect.asVoid(stored)
        )
  }

  /**
   * Ends a task's hold, in the transaction that ends the task (a write of `Commits`): charges the usage at the price of
   * its route at creation, at most the stored hold, and releases the rest. Does nothing if the hold has ended already or never existed.
   *
   * @param used undefined: nothing was delivered
   * @param tellCost called once the charge is stored
   * @returns the charge in nano-dollars
   */
  const end = Effect.fnUntraced(function* (
    id: string,
    used: Used | undefined,
    tellCost?: Chargeable["tellCost"]
  ): Effect.fn.Return<number, SqlError> {
    const held = yield* rows.remove(id)
    if (held === undefined) return 0
    const nowMs = clock.unsafeCurrentTimeMillis()
    const row = used === undefined ? undefined : rowOf(held, used, nowMs)
    yield* balances.endTask(held, row, nowMs, () => {
      generated.delete(id)
      if (row === undefined) return
      observed(row)
      tellCost?.(row)
    })
    return row?.costNanoUsd ?? 0
  })

  const rowOf = (held: EndedHold, used: Used, atMs: number): UsageRow => {
    const { isUndelivered, used: usage } = used
    const bound = held.nano_usd > 0 ? held.nano_usd : used.heldNanoUsd
    const { costLines, price, priceGap, ...bill } = billOf(used.price ?? priceFromText(held.price), usage, {
      atMs: held.at,
      estimated: used.estimated,
      heldNanoUsd: () => bound
    })
    const most = mostChargedFor(held)
    return {
      account: held.account_id,
      key: held.key_id,
      atMs,
      requestId: held.request_id,
      model: held.model,
      summedAs: names.of({ account: held.account_id, model: held.model, atMs, isAnswered: true }),
      upstream: used.upstream ?? held.upstream,
      outcome: isUndelivered === true ? "given-up" : (used.outcome ?? "finished"),
      estimated: used.estimated,
      price,
      priceGap,
      ...(isUndelivered === true
        ? { used: noUsage, ...unpaid(bill.upstreamCostNanoUsd) }
        : { used: wholeUsage(usage), costLines, ...costsWithin(most, bill) }),
      task: taskOfHold(held.id)
    }
  }

  /**
   * Raises a task's hold, as `Charge.extend`. The amount joins the hold's row, so that a later run of the task has it
   * too, on whichever node, and it ends with the task.
   */
  const raise = (id: string, request: Chargeable, toNanoUsd: () => number): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const held = yield* rows.find(id)
      if (held === undefined) return false
      const most = mostChargedFor(held)
      const nanoUsd = most === Infinity ? 0 : toNanoUsd() - most
      if (nanoUsd <= 0) return true
      if (!Number.isSafeInteger(nanoUsd)) return false
      const { caller, labels, model, price, requestId, upstream } = request
      const { account, key } = caller
      const atMs = clock.unsafeCurrentTimeMillis()
      if (!balances.knows(caller)) yield* balances.load(caller, atMs)
      const wanted = { nanoUsd, request: { ...labels, model, isFurther: true, mostTokens: () => 0 } }
      const row = { atMs, requestId, account, key, model, upstream, price: price.text, nanoUsd, isUncounted: false }
      const part = { ...row, id: moreOfHold(id) }
      const { added, undo } = yield* balances.raiseTaskHold(caller, wanted, { id, part }, atMs)
      return yield* Effect.tap(
        Effect.tapErrorCause(added, () => undo),
        (isAdded) => (isAdded ? Effect.void : undo)
      )
    }).pipe(
      Effect.catchTags({
        InsufficientBalance: () => Effect.succeed(false),
        QuotaExceeded: () => Effect.succeed(false),
        RateLimited: () => Effect.succeed(false)
      }),
      // While the database is away, an amount that was asked for dies.
      Effect.sandbox,
      Effect.retry(patience),
      Effect.catchAll((cause) =>
        Effect.as(
          Effect.logWarning("the hold of a task can't be raised", cause).pipe(Effect.annotateLogs({ task: id })),
          false
        )
      ),
      Effect.uninterruptible
    )

  /** Charges a generation to a task's hold: its settlement is remembered until the task ends. */
  const chargeOf =
    (id: string) =>
    (request: Chargeable): Charge => {
      generated.delete(id)
      return {
        extend: (toNanoUsd) => raise(id, request, toNanoUsd),
        settle: (used, outcome, estimated) => {
          const { price, upstream } = request
          const heldFor = used.toldNanoUsd === undefined ? undefined : heldNanoUsd(request)
          generated.set(id, { used, estimated, outcome, upstream, price, heldNanoUsd: heldFor })
          unserved.unused(request, id)
          return undefined
        },
        cut: (used, estimated) => {
          unserved.cut(request, used, { estimated, task: id })
          unserved.unused(request, id)
        },
        release: () => void unserved.unused(request, id)
      }
    }

  /** The usage that a task's generation settled, or had when it was stopped; undefined if it did not get that far. */
  const generatedBy = (id: string): Used | undefined => generated.get(id)

  return { storing, end, chargeOf, generatedBy } as const
}

const mostChargedFor = ({ is_uncounted: isUncounted, nano_usd: nanoUsd }: EndedHold): number =>
  mostCharged({ nanoUsd, isUncounted: isUncounted ?? nanoUsd === 0 })

/** For a short outage of the database. Beyond it, the answer ends as if the money were not enough. */
const patience = Schedule.spaced("100 millis").pipe(Schedule.upTo("10 seconds"))

/** A limit of concurrent tasks, with its owner. */
interface Bound {
  readonly who: string
  readonly count: (rows: ReturnType<typeof holdStatements>) => Effect.Effect<number, SqlError>
  readonly most: number | undefined
}

const boundsOf = ({ caller, modelLimits: shared }: TaskHold): ReadonlyArray<Bound> => [
  {
    who: credential(caller),
    count: (rows) => rows.count("key_id", caller.key),
    most: caller.keyLimits.concurrentTasks
  },
  {
    who: "this account",
    count: (rows) => rows.count("account_id", caller.account),
    most: caller.accountLimits.concurrentTasks
  },
  ...(shared === undefined
    ? []
    : [
        {
          who: `the model "${shared.name}"`,
          count: (rows: ReturnType<typeof holdStatements>) => rows.countOfModels(shared),
          most: shared.bounds.concurrentTasks
        }
      ])
]

const withinBound = (rows: ReturnType<typeof holdStatements>, { count, most, who }: Bound): RowWrite =>
  most === undefined
    ? Effect.void
    : Effect.flatMap(count(rows), (found) =>
        found < most
          ? Effect.void
          : new RateLimited({
              message: `Too many unfinished tasks: ${who} may have ${most}`,
              // Unknown: it depends on when a task ends.
              retryAfterSeconds: null
            })
      )
