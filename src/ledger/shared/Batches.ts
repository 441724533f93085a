import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import { Node } from "../../cluster/Node.ts"
import { thrownBy } from "../../sql/Committer.ts"
import { makeGather } from "../../sql/Gather.ts"
import type { BatchEnded, Doubtful } from "../../sql/Gather.ts"
import { isRefused } from "../../sql/isRefused.ts"
import type { Writes } from "../../sql/Writes.ts"
import type { HeldAmount, Hold, Owner } from "../Balances.ts"
import type { Refused } from "../BalanceOperations.ts"
import { askStatement, decodeVerdicts } from "../store/askStatement.ts"
import type { StoredHold } from "../store/holds.ts"
import type { UsageRow } from "../store/usageRows.ts"
import { countedOf } from "./countedOf.ts"
import { heldBy, judgeCharges } from "./judgeCharges.ts"
import type { Ask } from "./judgeCharges.ts"
import { makeLane } from "./Lane.ts"
import type { Applied } from "./Lane.ts"
import { makeSharedBudgets } from "./sharedBudgets.ts"

/** The most requests that one statement decides. */
const atOnce = 512

interface Release {
  readonly owner: Owner
  readonly held: HeldAmount
}

type Write = Parameters<Writes<UsageRow>["write"]>

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
  readonly write: Writes<UsageRow>["write"]
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
  const run = Runtime.runFork(yield* Effect.runtime())
  const sendOne = yield* makeLane(0)
  const statement = askStatement(sql)
  const budgets = yield* makeSharedBudgets(summed)
  const asks: Array<Ask> = []
  let releases: Array<Release> = []
  let write: Write | undefined

  const inFiber = <E>(work: Effect.Effect<void, E>, ended: (exit: Exit.Exit<void, E>) => void) =>
    run(work, { scope }).addObserver(ended)

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
    gather.wake()
  }

  const failAll = (some: ReadonlyArray<Ask>, cause: Cause.Cause<unknown>) => {
    for (const { done } of some) done(Effect.die(Cause.squash(cause)))
  }

  /** Asks for the last time, after all pending releases. */
  const askLastTime = (some: ReadonlyArray<Ask>) => {
    if (some.length === 0) return
    for (const ask of some) ask.isLast = true
    inFiber(free, (exit) => (Exit.isSuccess(exit) ? again(some) : failAll(some, exit.cause)))
  }

  const addReleases = (some: ReadonlyArray<Release>) => {
    releases.push(...some)
    if (some.length > 0) gather.wake()
  }

  const judge = (some: ReadonlyArray<Ask>, applied: Applied) => {
    if (some.length === 0) return
    const { open, short } = judgeCharges(some, applied, node.id(), budgets.nowMs())
    again(open)
    askLastTime(short)
  }

  /** Releases holds that no request waits for any more. Holds without a task are released later. */
  const undo = (some: ReadonlyArray<Ask>, { answer, node: by }: Applied) => {
    for (const [n, isHeld] of decodeVerdicts(answer)) {
      const ask = some[n]
      if (isHeld === 0 || ask === undefined || ask.row !== undefined) continue
      addReleases([{ owner: ask.caller, held: heldBy(ask, by) }])
    }
  }

  const failed = ({ asks: some, releases: back, write: stored }: Batch, cause: Cause.Cause<SqlError>) => {
    addReleases(back)
    failAll(some, cause)
    stored?.[1](Exit.failCause(cause))
  }

  /** Sends a batch. If the database refuses it, its parts are sent separately until the refused one is alone. */
  const send = (batch: Batch, ended: BatchEnded, doubtful: Doubtful): void => {
    let isTooLate = false
    sendOne({
      statement: (by) => {
        const used = batch.write?.[0]() ?? []
        const back = releasesOf(batch.releases, used, by.node)
        return statement(by, {
          asked: batch.asks.map(asked),
          back,
          counted: countedOf(batch.releases, used, by.node),
          used
        })
      },
      doubtful: (cause) => {
        isTooLate = true
        failAll(batch.asks, cause)
        batch.write?.[2](cause)
        doubtful(cause)
      },
      ended: (exit) => {
        if (Exit.isSuccess(exit)) {
          batch.write?.[1](Exit.void)
          const [broken] = thrownBy(() => (isTooLate ? undo : judge)(batch.asks, exit.value))
          return ended(broken === undefined ? undefined : Cause.die(broken))
        }
        const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
        const parts = isRefused(error) ? partsOf(batch) : []
        if (parts.length > 0) return sendParts(parts, ended, doubtful)
        failed(batch, exit.cause)
        ended(isRefused(error) && batch.releases.length === 0 ? undefined : exit.cause)
      }
    })
  }
  const sendParts = ([first, ...others]: ReadonlyArray<Batch>, ended: BatchEnded, doubtful: Doubtful): void =>
    first === undefined ? ended() : send(first, () => sendParts(others, ended, doubtful), doubtful)

  const isNothing = (batch: Batch): boolean =>
    batch.asks.length === 0 &&
    batch.write === undefined &&
    releasesOf(batch.releases, [], node.id()).length === 0 &&
    countedOf(batch.releases, [], node.id()).length === 0

  // Requests that arrived together share a statement.
  const due = () => (asks.length > 0 || releases.length > 0 || write !== undefined ? "this turn" : undefined)
  const gather = yield* makeGather("books", due, (ended, doubtful) => {
    const batch: Batch = { asks: asks.splice(0, atOnce), releases, write }
    releases = []
    write = undefined
    if (isNothing(batch)) return ended()
    const prepared = budgets.prepare(batch.asks)
    if (prepared === undefined) return send(batch, ended, doubtful)
    inFiber(prepared, (exit) => {
      if (Exit.isSuccess(exit)) return send(batch, ended, doubtful)
      failed(batch, exit.cause)
      ended(exit.cause)
    })
  })

  const flush = gather.flush(1)
  // Runs before the daemon ends.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  const batches: Batches = {
    ask: (caller, hold, row) =>
      Effect.async<HeldAmount, Refused>((resume) => {
        asks.push({ caller, hold, row, done: resume, claims: [], isLast: false })
        gather.wake()
      }).pipe(Effect.uninterruptible),
    release: (owner, held) => addReleases([{ owner, held }]),
    write: (...one) => {
      write = one
      gather.wake()
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
