import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Either } from "effect"
import { Mutex } from "../../flow/Mutex.ts"
import { Node } from "../../cluster/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { errorCode } from "../../sql/errorCode.ts"
import { isRefused } from "../../sql/isRefused.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { InDoubt } from "../../sql/InDoubt.ts"
import { answerOf, laneStatements } from "../store/lanes.ts"
import type { BatchId } from "../store/lanes.ts"

/** How long a statement is retried after its answer was lost, in ms. */
const patience = 2_000

/** The effect of a statement, and its node. */
export interface Applied {
  readonly node: string
  readonly answer: string
}

export interface Sending {
  /**
   * One statement, which takes effect unless its batch already has, and returns `answer` if it did. May be called
   * several times.
   */
  readonly statement: (by: BatchId) => Prepared
  /** Runs when a doubt is resolved, with the effect; undefined if there was none. */
  readonly late: (applied: Applied | undefined) => void
}

/**
 * Sends one statement at a time. Fails with `SqlError` if it took no effect, with `InDoubt` if that is unknown: it is
 * resolved before the next one is sent.
 */
export interface Lane {
  readonly isInDoubt: () => boolean
  readonly send: (sending: Sending) => Effect.Effect<Applied, SqlError | InDoubt>
  /**
   * As `send`, in plain code: reports the effect, or the work to run before anything else is sent. False if only `send`
   * can.
   */
  readonly sendSoon: (sending: Sending, ended: SentSoon) => boolean
}

interface SentSoon {
  readonly applied: (applied: Applied) => void
  readonly left: (rest: Effect.Effect<Applied, SqlError | InDoubt>) => void
}

/**
 * Statements of this node that take effect exactly once, however often they are sent: each has a number, which is
 * stored in the node's row for the lane in the same commit. A statement whose answer was lost is sent again and finds
 * its number stored. If the node was declared dead meanwhile, its rows are closed: it continues under a new id, without
 * the holds of the old one.
 *
 * @param lane the number of this lane; each lane sends one statement at a time
 */
export const makeLane = Effect.fnUntraced(function* (lane: number) {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const rows = laneStatements(sql)
  const turn = new Mutex()
  /** The last batch that was or may have been sent. */
  let last: BatchId = { node: "", lane, number: 0 }
  let unresolved: Sending["late"] | undefined

  const next = Effect.suspend((): Effect.Effect<BatchId, SqlError> => {
    const id = node.id()
    if (last.node === id) return Effect.succeed((last = { ...last, number: last.number + 1 }))
    const first: BatchId = { node: id, lane, number: 1 }
    return Effect.map(rows.begin(first), () => (last = first))
  })

  /** The outcome of the last batch. */
  const outcome = Effect.map(
    Effect.suspend(() => rows.find(last)),
    (found): Applied | undefined =>
      found?.batch === last.number && found.answer !== null ? { node: last.node, answer: found.answer } : undefined
  )

  /** Resolves a doubt: a batch without effect so far is voided. */
  const settled = Effect.suspend(() => {
    const late = unresolved
    if (late === undefined) return Effect.void
    return Effect.map(Effect.zipRight(commits.commit(rows.skip(last)), outcome), (applied) => {
      unresolved = undefined
      late(applied)
    })
  })

  const tried = (statement: Prepared, until: number): Effect.Effect<string | undefined, SqlError | InDoubt> =>
    Effect.catchAll(Effect.map(commits.commit(statement), answerOf), (error) => {
      if (isKnown(error)) return Effect.fail(error)
      return performance.now() < until
        ? Effect.zipRight(aMoment, tried(statement, until))
        : Effect.fail(new InDoubt({ because: error }))
    })

  /** Sends a batch that has its number and may have been sent before. */
  const sendAs = Effect.fnUntraced(function* (
    by: BatchId,
    sending: Sending
  ): Effect.fn.Return<Applied, SqlError | InDoubt> {
    const markUnresolved = Effect.sync(() => void (unresolved = sending.late))
    const answer = yield* Effect.tapErrorTag(
      tried(sending.statement(by), performance.now() + patience),
      "InDoubt",
      () => markUnresolved
    )
    if (answer !== undefined) return { node: by.node, answer }
    // One of several attempts may have taken effect.
    const applied = yield* Effect.catchAll(outcome, (because) =>
      Effect.zipRight(markUnresolved, new InDoubt({ because }))
    )
    if (applied !== undefined) return applied
    // The node was declared dead: this batch is void and is sent under the new id.
    yield* node.renew
    if (node.id() === by.node) return yield* Effect.dieMessage("a node that is there has lost its batches")
    return yield* sendNext(sending)
  })
  const sendNext = (sending: Sending) => Effect.flatMap(next, (by) => sendAs(by, sending))

  const one: Lane = {
    isInDoubt: () => unresolved !== undefined,
    send: (sending) => turn.whole(Effect.zipRight(settled, sendNext(sending))),
    sendSoon: (sending, ended) => {
      if (commits.send === undefined || unresolved !== undefined || last.node !== node.id()) return false
      const by = { ...last, number: last.number + 1 }
      // In a fiber, an exception is reported. Here it would end the process.
      const statement = Either.getOrUndefined(Either.try(() => sending.statement(by)))
      if (statement === undefined || !turn.tryTake()) return false
      const isSent = commits.send(statement, (rows) => {
        const answer = Either.getOrUndefined(Either.try(() => answerOf(rows ?? [])))
        if (answer === undefined) return ended.left(turn.rest(sendAs(by, sending)))
        turn.give()
        ended.applied({ node: by.node, answer })
      })
      if (isSent) last = by
      else turn.give()
      return isSent
    }
  }
  return one
})

/** True if the server refused it. Otherwise it may have succeeded without an answer. */
const isKnown = (error: SqlError): boolean => isRefused(error) || /^(40(?!003)|42)/.test(errorCode(error.cause))

/** 20 to 40 ms of real time, because a `TestClock` stands still. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20 + 20 * Math.random())))
