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

/** How long a statement is tried again whose answer was lost, in ms. */
const patience = 2_000

/** The effect of a statement, and its node. */
export interface Applied {
  readonly node: string
  readonly answer: string
}

export interface Sending {
  /** One statement, which takes effect where its batch has not yet, and answers `answer` where it did. May be asked several times. */
  readonly statement: (by: BatchId) => Prepared
  /** Runs where it was in doubt, once that is over: with what it did, or undefined where it did nothing. */
  readonly late: (applied: Applied | undefined) => void
}

/**
 * Sends one statement after the other. Fails with `SqlError` where one took no effect, with `InDoubt` where that is not
 * known: it will be before the next one is sent.
 */
export interface Lane {
  readonly isInDoubt: () => boolean
  readonly send: (sending: Sending) => Effect.Effect<Applied, SqlError | InDoubt>
  /**
   * As `send`, in plain code: hears what the statement did, or else what is to be run before anything else is sent. False
   * where only `send` can.
   */
  readonly sendSoon: (sending: Sending, ended: SentSoon) => boolean
}

interface SentSoon {
  readonly applied: (applied: Applied) => void
  readonly left: (rest: Effect.Effect<Applied, SqlError | InDoubt>) => void
}

/**
 * Statements of this node that take effect once, however often they must be sent: each has a number, which the node's row
 * for the lane takes in the same commit. One whose answer is lost is sent again, and finds its number taken. A node that
 * was buried meanwhile finds its rows closed: it goes on under its new id, with what that one has to give back.
 *
 * @param lane which of the node's lanes this is; each sends one statement at a time
 */
export const makeLane = Effect.fnUntraced(function* (lane: number) {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const rows = laneStatements(sql)
  const turn = new Mutex()
  /** The last batch that was sent, or may have been. */
  let last: BatchId = { node: "", lane, number: 0 }
  let doubt: Sending["late"] | undefined

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

  /** Ends a doubt: what took no effect so far never will. */
  const settled = Effect.suspend(() => {
    const late = doubt
    if (late === undefined) return Effect.void
    return Effect.map(Effect.zipRight(commits.commit(rows.skip(last)), outcome), (applied) => {
      doubt = undefined
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

  /** A batch that has its number, and may have been sent before. */
  const sendAs = Effect.fnUntraced(function* (
    by: BatchId,
    sending: Sending
  ): Effect.fn.Return<Applied, SqlError | InDoubt> {
    const doubted = Effect.sync(() => void (doubt = sending.late))
    const answer = yield* Effect.tapErrorTag(
      tried(sending.statement(by), performance.now() + patience),
      "InDoubt",
      () => doubted
    )
    if (answer !== undefined) return { node: by.node, answer }
    // One try of several may have taken effect.
    const applied = yield* Effect.catchAll(outcome, (because) => Effect.zipRight(doubted, new InDoubt({ because })))
    if (applied !== undefined) return applied
    // Buried: its batch is void, and goes with the next one's.
    yield* node.renew
    if (node.id() === by.node) return yield* Effect.dieMessage("a node that is there has lost its batches")
    return yield* sendNext(sending)
  })
  const sendNext = (sending: Sending) => Effect.flatMap(next, (by) => sendAs(by, sending))

  const one: Lane = {
    isInDoubt: () => doubt !== undefined,
    send: (sending) => turn.whole(Effect.zipRight(settled, sendNext(sending))),
    sendSoon: (sending, ended) => {
      if (commits.send === undefined || doubt !== undefined || last.node !== node.id()) return false
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

/** 20 to 40 ms of the machine's own time: a test's clock stands still. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20 + 20 * Math.random())))
