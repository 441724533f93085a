import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Exit, Option, Runtime } from "effect"
import type { Conflict } from "../contract/failures/Failure.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { makeLostClaims } from "../cluster/lostClaims.ts"
import { Node } from "../cluster/Node.ts"
import { Commits } from "../sql/Commits.ts"
import { makeClaimStore } from "./store/ClaimStore.ts"
import { KeptAnswers, otherBody } from "./store/KeptAnswers.ts"
import type { Ask, KeptAnswer } from "./store/KeptAnswers.ts"
import { PendingAnswers } from "./PendingAnswers.ts"

/** Polling interval while another node answers, in case its notice is lost. */
const lookEvery = "1 second"
/** Interval of the search for lost claims. */
const sweepEvery = "15 seconds"

/** The exclusive right to answer a request. */
export interface Claim {
  /** The request, with the claim for storing its answer. */
  readonly ask: Ask
  /** Fails if the claim is lost. Run it in the transaction of writes that only its owner may make. */
  readonly held: Effect.Effect<void, SqlError | "lost">
  /** The answer was stored, which has removed the claim. */
  readonly spent: () => void
  /** The answer is a stream. The returned function is called at its end. */
  readonly goesOn: () => () => void
}

/** Serialises requests with the same key across all processes. */
export interface OneAtATime {
  /** Runs the work unless there is an answer; waits if another node runs it. */
  readonly once: <A, E>(
    ask: Ask,
    kept: (answer: KeptAnswer) => A,
    work: (claim: Claim) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | Conflict>
}

export class Claims extends Effect.Service<Claims>()("gateway/idempotency/Claims", {
  dependencies: [KeptAnswers.Default, Node.Default, Commits.Default, PendingAnswers.Default, Daemons.Default],
  scoped: Effect.flatMap(
    Node,
    ({ isShared }): Effect.Effect<OneAtATime, never, Effect.Effect.Context<typeof amongNodes>> =>
      isShared ? amongNodes : inOneProcess
  )
}) {}

const nothing = () => {}
const unreadable = (error: SqlError) => Effect.die(error)

/** With one process, `Idempotency` itself knows the running requests. */
const inOneProcess = Effect.map(KeptAnswers, (answers) => {
  const claims: OneAtATime = {
    once: (ask, kept, work) =>
      Effect.flatMap(Effect.catchTag(answers.find(ask), "SqlError", unreadable), (answer) =>
        Option.isSome(answer)
          ? Effect.succeed(kept(answer.value))
          : work({ ask, held: Effect.void, spent: nothing, goesOn: () => nothing })
      )
  }
  return claims
})

type Restore = <A, E>(waits: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Among nodes, a running request is claimed by a row, which is valid as long as its node. */
const amongNodes = Effect.gen(function* () {
  const answers = yield* KeptAnswers
  const store = yield* makeClaimStore
  const waiting = yield* PendingAnswers
  const node = yield* Node
  const runtime = yield* Effect.runtime()
  const inHand = new Set<string>()
  const lostClaims = makeLostClaims()

  const release = (ask: Ask, token: string): Effect.Effect<void> =>
    Effect.ensuring(
      Effect.ignore(store.remove(token)),
      Effect.sync(() => {
        inHand.delete(token)
        waiting.tell(ask)
      })
    )

  /** The stored answer, or undefined once this node has the claim. Interruptible only while it waits. */
  const take = (
    ask: Ask,
    token: string,
    restore: Restore
  ): Effect.Effect<KeptAnswer | undefined, Conflict | SqlError> =>
    Effect.flatMap(tryTake(ask, token, restore), (answer) =>
      answer === again ? take(ask, token, restore) : Effect.succeed(answer)
    )

  const tryTake = Effect.fnUntraced(function* (ask: Ask, token: string, restore: Restore) {
    const answered = yield* waiting.register(ask)
    const isOurs = yield* store.insert(ask, token)
    const other = isOurs ? undefined : yield* store.bodyHash(ask)
    if (other !== undefined && other !== ask.bodyHash) return yield* otherBody
    if (other !== undefined) {
      yield* restore(Effect.timeoutOption(answered, lookEvery))
      return again
    }
    const answer = yield* answers.find(ask)
    if (Option.isSome(answer)) return answer.value
    if (isOurs) return undefined
    // Another node's claim has just ended, or this node was reaped.
    yield* node.renew
    return again
  }, Effect.scoped)

  const once: OneAtATime["once"] = (ask, kept, work) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const token = crypto.randomUUID()
        let [isSpent, isStreaming] = [false, false]
        inHand.add(token)
        const over = Effect.suspend(() => (isSpent ? Effect.void : release(ask, token)))
        const claim: Claim = {
          ask: { ...ask, claim: token },
          held: store.held(token),
          spent: () => {
            isSpent = true
            inHand.delete(token)
          },
          goesOn: () => {
            isStreaming = true
            return () => void Runtime.runFork(runtime)(over)
          }
        }
        const taken = Effect.onExit(Effect.catchTag(take(ask, token, restore), "SqlError", unreadable), (exit) =>
          Exit.isSuccess(exit) && exit.value === undefined ? Effect.void : over
        )
        const worked = Effect.ensuring(
          restore(Effect.suspend(() => work(claim))),
          Effect.suspend(() => (isStreaming ? Effect.void : over))
        )
        return Effect.flatMap(taken, (answer) => (answer === undefined ? worked : Effect.succeed(kept(answer))))
      })
    )

  // A lost claim would block its key.
  const sweep = Effect.gen(function* () {
    const own = (yield* store.own).map(asClaimed)
    yield* Effect.forEach(lostClaims(own, Array.from(inHand, asClaimed)), ({ token }) => store.remove(token), {
      discard: true
    })
  })
  yield* Effect.withClock(
    daemon("idempotency.claims", Effect.as(sweep, Effect.sleep(sweepEvery)), backoff),
    Clock.make()
  )
  node.onReaped(waiting.wakeAll)

  const claims: OneAtATime = { once }
  return claims
})

/** The claim must be tried again. */
const again = Symbol("again")

const asClaimed = (token: string) => ({ id: "", token })
