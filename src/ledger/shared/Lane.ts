import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Either, Exit, Option, Runtime } from "effect"
import { Node } from "../../cluster/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { errorCode } from "../../sql/errorCode.ts"
import type { Doubtful } from "../../sql/Gather.ts"
import { isRefused } from "../../sql/isRefused.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { answerOf, laneStatements } from "../store/lanes.ts"
import type { BatchId } from "../store/lanes.ts"

/** How long a statement is retried after its answer was lost, in ms, and how often its outcome is then looked up. */
const [patience, lookEvery] = [2_000, 1_000]

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
  /** Fails if it took no effect. */
  readonly ended: (exit: Exit.Exit<Applied, SqlError>) => void
  /** Called while it is unknown whether it took effect. */
  readonly doubtful: Doubtful
}

/**
 * Sends a statement, in plain code unless something is in the way. The next one may be sent when it has ended, and not
 * before.
 */
export type Lane = (sending: Sending) => void

/**
 * Statements of this node that take effect exactly once, however often they are sent: each has a number, which is
 * stored in the node's row for the lane in the same commit. A statement whose answer was lost is sent again and finds
 * its number stored. If the node was declared dead meanwhile, its rows are closed: it continues under a new id, without
 * the holds of the old one.
 *
 * @param lane the number of this lane
 */
export const makeLane = Effect.fnUntraced(function* (lane: number) {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const scope = yield* Effect.scope
  const run = Runtime.runFork(yield* Effect.runtime())
  const rows = laneStatements(sql)
  /** The last batch that was or may have been sent. */
  let last: BatchId = { node: "", lane, number: 0 }

  const next = Effect.suspend((): Effect.Effect<BatchId, SqlError> => {
    const id = node.id()
    if (last.node === id) return Effect.succeed((last = { ...last, number: last.number + 1 }))
    const first: BatchId = { node: id, lane, number: 1 }
    return Effect.map(rows.begin(first), () => (last = first))
  })

  const outcome = (by: BatchId): Effect.Effect<Applied | undefined, SqlError> =>
    Effect.map(rows.find(by), (found) =>
      found?.batch === by.number && found.answer !== null ? { node: by.node, answer: found.answer } : undefined
    )

  const tried = (statement: Prepared, until: number): Effect.Effect<string | undefined, SqlError> =>
    Effect.catchAll(Effect.map(commits.commit(statement), answerOf), (error) =>
      isKnown(error) || performance.now() >= until
        ? Effect.fail(error)
        : Effect.zipRight(pause(20 + 20 * Math.random()), tried(statement, until))
    )

  /** Resolves a doubt, however long that takes. A batch without effect so far is voided. */
  const resolved = Effect.fnUntraced(function* (
    by: BatchId,
    error: SqlError,
    doubtful: Doubtful
  ): Effect.fn.Return<Applied, SqlError> {
    for (let latest = error; ;) {
      doubtful(Cause.fail(latest))
      yield* pause(lookEvery)
      const found = yield* Effect.either(Effect.zipRight(commits.commit(rows.skip(by)), outcome(by)))
      if (Either.isRight(found)) return found.right ?? (yield* latest)
      latest = found.left
    }
  })

  /** Sends a batch that has its number and may have been sent before. */
  const sendAs = Effect.fnUntraced(function* (by: BatchId, sending: Sending): Effect.fn.Return<Applied, SqlError> {
    const sent = yield* Effect.either(tried(sending.statement(by), performance.now() + patience))
    if (Either.isLeft(sent)) {
      return yield* isKnown(sent.left) ? sent.left : resolved(by, sent.left, sending.doubtful)
    }
    if (sent.right !== undefined) return { node: by.node, answer: sent.right }
    // One of several attempts may have taken effect.
    const applied = yield* Effect.either(outcome(by))
    if (Either.isLeft(applied)) return yield* resolved(by, applied.left, sending.doubtful)
    if (applied.right !== undefined) return applied.right
    // The node was declared dead: this batch is void and is sent under the new id.
    yield* node.renew
    if (node.id() === by.node) return yield* Effect.dieMessage("a node that is there has lost its batches")
    return yield* sendNext(sending)
  })
  const sendNext = (sending: Sending): Effect.Effect<Applied, SqlError> =>
    Effect.flatMap(next, (by) => sendAs(by, sending))

  const inFiber = (work: Effect.Effect<Applied, SqlError>, { ended }: Sending) =>
    run(work, { scope }).addObserver(ended)

  const send: Lane = (sending) => {
    if (last.node !== node.id()) return inFiber(sendNext(sending), sending)
    const by = (last = { ...last, number: last.number + 1 })
    commits.send(
      () => [sending.statement(by)],
      "durable",
      (exit) => {
        if (Exit.isFailure(exit) && isEnd(exit.cause)) return sending.ended(Exit.failCause(exit.cause))
        const answer = Exit.isSuccess(exit)
          ? Option.getOrUndefined(Option.liftThrowable(answerOf)(exit.value))
          : undefined
        if (answer === undefined) return inFiber(sendAs(by, sending), sending)
        sending.ended(Exit.succeed({ node: by.node, answer }))
      }
    )
  }
  return send
})

/** True if the server refused it. Otherwise it may have succeeded without an answer. */
const isKnown = (error: SqlError): boolean => isRefused(error) || /^(40(?!003)|42)/.test(errorCode(error.cause))

/** True if it took no effect: it was refused, or could not be made. */
const isEnd = (cause: Cause.Cause<SqlError>): boolean =>
  Option.match(Cause.failureOption(cause), { onNone: () => true, onSome: isKnown })

/** Real time, because a `TestClock` stands still. */
const pause = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))
