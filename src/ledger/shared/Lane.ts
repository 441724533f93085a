import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { Node } from "../../nodes/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { errorCode } from "../../sql/errorCode.ts"
import { isRefused } from "../../sql/isRefused.ts"
import { InDoubt } from "../InDoubt.ts"
import { laneStatements } from "../store/lanes.ts"
import type { BatchId } from "../store/lanes.ts"

/** How long a statement is tried again whose answer was lost, in ms. */
const patience = 2_000

/** What a statement did, and for which node. */
export interface Applied {
  readonly node: string
  readonly answer: string
}

interface Sending {
  /** One statement, which takes effect where its batch has not yet; undefined where it did not. May be asked several times. */
  readonly statement: (by: BatchId) => Effect.Effect<string | undefined, SqlError>
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
}

/**
 * Statements of this node that take effect once, however often they must be sent: each has a number, which the node's row
 * for the lane takes in the same commit. One whose answer is lost is sent again, and finds its number taken. A node that
 * was buried meanwhile finds its rows closed: it goes on under its new id, with what that one has to give back.
 *
 * @param lane which of the node's lanes this is; each sends one statement at a time
 */
export const makeLane = (lane: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const node = yield* Node
    const rows = laneStatements(sql)
    const alone = yield* Effect.makeSemaphore(1)
    /** The last batch that was sent, or may have been. */
    let last: BatchId = { node: "", lane, number: 0 }
    let doubt: Sending["late"] | undefined

    const next = Effect.suspend((): Effect.Effect<BatchId, SqlError> => {
      const id = node.id()
      if (last.node === id) return Effect.succeed((last = { ...last, number: last.number + 1 }))
      const first: BatchId = { node: id, lane, number: 1 }
      return Effect.map(rows.begin(first), () => (last = first))
    })

    /** What became of the last batch that was sent. */
    const outcome = Effect.map(
      Effect.suspend(() => rows.find(last)),
      (found): Applied | undefined =>
        found?.batch === last.number && found.answer !== null ? { node: last.node, answer: found.answer } : undefined
    )

    /** Ends a doubt: what took no effect so far never will. */
    const settled = Effect.suspend(() => {
      const late = doubt
      if (late === undefined) return Effect.void
      return Effect.map(Effect.zipRight(commits.statement(rows.skip(last)), outcome), (applied) => {
        doubt = undefined
        late(applied)
      })
    })

    const tried = (
      statement: Effect.Effect<string | undefined, SqlError>,
      until: number
    ): Effect.Effect<string | undefined, SqlError | InDoubt> =>
      Effect.catchAll(commits.statement(statement), (error) => {
        if (isKnown(error)) return Effect.fail(error)
        return performance.now() < until
          ? Effect.zipRight(aMoment, tried(statement, until))
          : Effect.fail(new InDoubt({ because: error }))
      })

    const send = (sending: Sending): Effect.Effect<Applied, SqlError | InDoubt> =>
      Effect.gen(function* () {
        const by = yield* next
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
        return yield* send(sending)
      })

    const one: Lane = {
      isInDoubt: () => doubt !== undefined,
      send: (sending) => alone.withPermits(1)(Effect.uninterruptible(Effect.zipRight(settled, send(sending))))
    }
    return one
  })

/** Whether the server has said no; otherwise it may have said yes, and was not heard. */
const isKnown = (error: SqlError): boolean => isRefused(error) || /^4[02]/.test(errorCode(error.cause))

/** 20 to 40 ms of the machine's own time: a test's clock stands still. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20 + 20 * Math.random())))
