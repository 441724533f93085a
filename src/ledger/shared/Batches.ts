import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Runtime } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { PlainWork } from "../../flow/PlainWork.ts"
import type { Ended } from "../../flow/PlainWork.ts"
import { everySecond } from "../../flow/schedules.ts"
import { Mutex } from "../../flow/Mutex.ts"
import type { Caller } from "../../contract/Caller.ts"
import { Node } from "../../cluster/Node.ts"
import { thrownBy } from "../../sql/Committer.ts"
import { isRefused } from "../../sql/isRefused.ts"
import type { HeldAmount, Hold, Owner } from "../Balances.ts"
import type { InDoubt } from "../../sql/InDoubt.ts"
import type { BalanceOperations, Refused } from "../BalanceOperations.ts"
import { askStatement, decodeVerdicts } from "../store/askStatement.ts"
import type { StoredHold } from "../store/holds.ts"
import type { UsageRow } from "../store/usageRows.ts"
import { countedOf } from "./countedOf.ts"
import { heldBy, judged } from "./judged.ts"
import type { Ask } from "./judged.ts"
import { makeLane } from "./Lane.ts"
import type { Applied, Sending } from "./Lane.ts"
import { makeSharedBudgets } from "./sharedBudgets.ts"

/** The most requests that one statement decides. */
const atOnce = 512

interface Release {
  readonly owner: Owner
  readonly held: HeldAmount
}

interface Write {
  readonly take: () => ReadonlyArray<UsageRow>
  readonly late: (isStored: boolean) => void
  readonly done: (stored: Effect.Effect<void, SqlError | InDoubt>) => void
}

interface Batch {
  readonly asks: ReadonlyArray<Ask>
  readonly releases: ReadonlyArray<Release>
  readonly write: Write | undefined
}

/** Changes shared balances, with one statement at a time for all requests of this node. */
export interface Batches {
  /** @param row of a task's hold, which is stored with it, unconfirmed */
  readonly ask: (caller: Caller, hold: Hold, row: StoredHold | undefined) => Effect.Effect<HeldAmount, Refused>
  readonly release: (owner: Owner, held: HeldAmount) => void
  /** One write at a time. */
  readonly writeSoon: NonNullable<BalanceOperations["writeSoon"]>
  /** Waits until every release so far is stored. */
  readonly flush: Effect.Effect<void>
}

/**
 * While a statement runs, gathers requests for holds, releases and usage for the next one. Not a `BatchWriter`: each
 * request gets a result of its own, and some are asked again.
 *
 * @param free applies settlements that are about to release money; runs before a request is refused
 * @param summed adds up usage from before a budget existed; runs before its first request
 */
export const makeBatches = Effect.fnUntraced(function* (
  free: Effect.Effect<void, SqlError>,
  summed: Effect.Effect<void, SqlError>
) {
  const sql = yield* SqlClient.SqlClient
  const node = yield* Node
  const scope = yield* Effect.scope
  const runtime = yield* Effect.runtime()
  const lane = yield* makeLane(0)
  const statement = askStatement(sql)
  const budgets = yield* makeSharedBudgets(summed)
  let asks: Array<Ask> = []
  let releases: Array<Release> = []
  let write: Write | undefined
  let wake: (() => void) | undefined

  const turn = new Mutex()
  const plain = new PlainWork<SqlError>()

  const somethingToDo = Effect.async<void>((resume) => {
    const look = () => {
      wake = () => {
        wake = undefined
        // Requests that arrived together share a statement.
        setImmediate(go)
      }
      if (asks.length > 0 || releases.length > 0 || write !== undefined) wake()
    }
    const resumed = () => resume(Effect.void)
    const go = () => {
      if (!plain.begin(sentSoon, (isLeft) => (isLeft ? resumed() : look()))) resumed()
    }
    look()
  })

  /** Holds under an earlier id of the node were released when that node was declared dead. */
  const releasesOf = (some: ReadonlyArray<Release>, used: ReadonlyArray<UsageRow>, to: string) =>
    [...some.map(({ held, owner }) => ({ ...owner, held })), ...used].flatMap(({ account, held, key }) =>
      held === undefined || held.nanoUsd === 0 || held.node !== to ? [] : [{ account, key, nanoUsd: held.nanoUsd }]
    )

  const asked = ({ caller, claims, hold, row }: Ask) => ({
    account: caller.account,
    key: caller.key,
    nanoUsd: hold.nanoUsd,
    claims,
    row
  })

  const again = (some: ReadonlyArray<Ask>) => {
    asks.unshift(...some)
    wake?.()
  }

  const failAll = (some: ReadonlyArray<Ask>, error: unknown) => {
    for (const { done } of some) done(Effect.die(error))
  }

  /** Asks for the last time, after all pending releases. */
  const askLastTime = (some: ReadonlyArray<Ask>) => {
    if (some.length === 0) return
    for (const ask of some) ask.isLast = true
    const freed = Effect.match(free, { onSuccess: () => again(some), onFailure: (error) => failAll(some, error) })
    Runtime.runFork(runtime)(Effect.forkIn(freed, scope))
  }

  const judge = (some: ReadonlyArray<Ask>, applied: Applied) => {
    if (some.length === 0) return
    const { open, short } = judged(some, applied, node.id(), budgets.nowMs())
    again(open)
    askLastTime(short)
  }

  const addReleases = (some: ReadonlyArray<Release>) => {
    releases.push(...some)
    if (some.length > 0) wake?.()
  }

  /** Releases a hold that no request waits for. Holds without a task are released later. */
  const undo =
    ({ asks: some, releases: back, write: stored }: Batch) =>
    (applied: Applied | undefined) => {
      stored?.late(applied !== undefined)
      if (applied === undefined) return addReleases(back)
      for (const [n, isHeld] of decodeVerdicts(applied.answer)) {
        const ask = some[n]
        if (isHeld === 0 || ask === undefined || ask.row !== undefined) continue
        addReleases([{ owner: ask.caller, held: heldBy(ask, applied.node) }])
      }
    }

  const failed = ({ asks: some, write: stored }: Batch, error: SqlError | InDoubt) => {
    failAll(some, error._tag === "InDoubt" ? error.because : error)
    stored?.done(Effect.fail(error))
  }

  const sendingOf = (batch: Batch): Sending => ({
    statement: (by) => {
      const used = batch.write?.take() ?? []
      const back = releasesOf(batch.releases, used, by.node)
      return statement(by, {
        asked: batch.asks.map(asked),
        back,
        counted: countedOf(batch.releases, used, by.node),
        used
      })
    },
    late: undo(batch)
  })

  const applied = (batch: Batch, result: Applied): void => {
    batch.write?.done(Effect.void)
    judge(batch.asks, result)
  }

  /** If the database refuses a batch, its parts are sent separately until the refused one is alone. */
  const handled = (batch: Batch, sent: Effect.Effect<Applied, SqlError | InDoubt>): Effect.Effect<void, SqlError> =>
    Effect.matchEffect(sent, {
      onSuccess: (result) => Effect.sync(() => applied(batch, result)),
      onFailure: (error) => {
        if (error._tag === "InDoubt") {
          failed(batch, error)
          return Effect.fail(error.because)
        }
        const parts = isRefused(error) ? partsOf(batch) : []
        if (parts.length > 0) return Effect.forEach(parts, (part) => Effect.ignore(send(part)), { discard: true })
        addReleases(batch.releases)
        failed(batch, error)
        return isRefused(error) && batch.releases.length === 0 ? Effect.void : Effect.fail(error)
      }
    })
  const send = (batch: Batch): Effect.Effect<void, SqlError> => handled(batch, lane.send(sendingOf(batch)))

  const gathered = (): Batch => {
    const batch: Batch = { asks: asks.splice(0, atOnce), releases, write }
    releases = []
    write = undefined
    return batch
  }
  const isNothing = (batch: Batch): boolean =>
    batch.asks.length === 0 &&
    batch.write === undefined &&
    releasesOf(batch.releases, [], node.id()).length === 0 &&
    countedOf(batch.releases, [], node.id()).length === 0

  const pass = Effect.suspend(() => {
    const batch = gathered()
    if (isNothing(batch) && !lane.isInDoubt()) return Effect.void
    return Effect.matchEffect(budgets.prepare(batch.asks) ?? Effect.void, {
      onSuccess: () => send(batch),
      onFailure: (error) => {
        addReleases(batch.releases)
        failed(batch, error)
        return Effect.fail(error)
      }
    })
  })

  /**
   * A pass in plain code, as nearly all are: with fibers it costs several times what the driver does.
   *
   * @param ended gets the work left for a fiber, which keeps the mutex
   * @returns false if only a fiber can do it
   */
  const sentSoon = (ended: Ended<SqlError>): boolean => {
    if (lane.isInDoubt() || budgets.prepare(asks) !== undefined || !turn.tryTake()) return false
    const batch = gathered()
    const isSent = isNothing(batch)
      ? undefined
      : lane.sendSoon(sendingOf(batch), {
          applied: (result) => {
            const [broken] = thrownBy(() => applied(batch, result))
            if (broken !== undefined) return ended(turn.rest(Effect.die(broken)))
            turn.give()
            ended(undefined)
          },
          left: (rest) => ended(turn.rest(handled(batch, rest)))
        })
    if (isSent === true) return true
    turn.give()
    if (isSent === undefined) {
      ended(undefined)
      return true
    }
    asks.unshift(...batch.asks)
    releases.unshift(...batch.releases)
    write = batch.write
    return false
  }

  const whole = turn.whole(pass)
  // Runs after the fiber has ended.
  yield* Effect.addFinalizer(() => plain.end)
  yield* daemon("books", Effect.as(plain.leftOr(whole), somethingToDo), everySecond)

  // A release may still be running.
  const flush = Effect.ignore(whole)
  // Runs before the fiber above ends.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  const batches: Batches = {
    ask: (caller, hold, row) =>
      Effect.async<HeldAmount, Refused>((resume) => {
        asks.push({ caller, hold, row, done: resume, claims: [], isLast: false })
        wake?.()
      }).pipe(Effect.uninterruptible),
    release: (owner, held) => addReleases([{ owner, held }]),
    writeSoon: (take, late, done) => {
      write = { take, late, done }
      wake?.()
    },
    flush
  }
  return batches
})

/** The parts of a batch; none if it can't be split. */
const partsOf = ({ asks, releases, write }: Batch): ReadonlyArray<Batch> => {
  if (write !== undefined && (asks.length > 0 || releases.length > 0)) {
    return [
      { asks, releases, write: undefined },
      { asks: [], releases: [], write }
    ]
  }
  const middle = Math.ceil(asks.length / 2)
  return asks.length < 2
    ? []
    : [
        { asks: asks.slice(0, middle), releases, write },
        { asks: asks.slice(middle), releases: [], write }
      ]
}
