import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Exit, Option, Runtime } from "effect"
import type { Conflict } from "../contract/Failure.ts"
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

/** How long one waits for another node's answer before it looks by itself. */
const lookEvery = "1 second"
/** How often claims are looked for that nobody has in hand. */
const sweepEvery = "15 seconds"

/** The right to answer a request, for as long as the work takes. */
export interface Claim {
  /** The request, as its answer is to be kept. */
  readonly ask: Ask
  /** Its answer is stored, and the claim gone with that. */
  readonly spent: () => void
  /** The work goes on after what it answered: a stream. To be called when it is over. */
  readonly goesOn: () => () => void
}

/** Of all requests with one key one is answered at a time, whichever process they come to. */
export interface OneAtATime {
  /** Does the work where there is no answer; waits where another node does it. */
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

/** What runs is known to the one process (`Idempotency`). */
const inOneProcess = Effect.map(KeptAnswers, (answers) => {
  const claims: OneAtATime = {
    once: (ask, kept, work) =>
      Effect.flatMap(Effect.catchTag(answers.find(ask), "SqlError", unreadable), (found) =>
        Option.isSome(found) ? Effect.succeed(kept(found.value)) : work({ ask, spent: nothing, goesOn: () => nothing })
      )
  }
  return claims
})

type Restore = <A, E>(waits: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** What runs is claimed by a row, which is good for as long as its node. */
const amongNodes = Effect.gen(function* () {
  const answers = yield* KeptAnswers
  const store = yield* makeClaimStore
  const waiting = yield* PendingAnswers
  const node = yield* Node
  const runtime = yield* Effect.runtime()
  const inHand = new Set<string>()
  const comeOff = makeLostClaims()

  const letGo = (ask: Ask, token: string): Effect.Effect<void> =>
    Effect.ensuring(
      Effect.ignore(store.remove(token)),
      Effect.sync(() => {
        inHand.delete(token)
        waiting.tell(ask)
      })
    )

  /** The answer that there is, or undefined where the claim is ours. Interrupted only while it waits for others. */
  const take = (
    ask: Ask,
    token: string,
    restore: Restore
  ): Effect.Effect<KeptAnswer | undefined, Conflict | SqlError> =>
    Effect.flatMap(taken(ask, token, restore), (found) =>
      found === again ? take(ask, token, restore) : Effect.succeed(found)
    )

  const taken = Effect.fnUntraced(function* (ask: Ask, token: string, restore: Restore) {
    const told = yield* waiting.register(ask)
    const isOurs = yield* store.insert(ask, token)
    const other = isOurs ? undefined : yield* store.bodyHash(ask)
    if (other !== undefined && other !== ask.bodyHash) return yield* otherBody
    if (other !== undefined) {
      yield* restore(Effect.timeoutOption(told, lookEvery))
      return again
    }
    const found = yield* answers.find(ask)
    if (Option.isSome(found)) return found.value
    if (isOurs) return undefined
    // It was another's until just now; or this node is no more.
    yield* node.renew
    return again
  }, Effect.scoped)

  const once: OneAtATime["once"] = (ask, kept, work) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const token = crypto.randomUUID()
        let [isSpent, isStreaming] = [false, false]
        inHand.add(token)
        const over = Effect.suspend(() => (isSpent ? Effect.void : letGo(ask, token)))
        const claim: Claim = {
          ask: { ...ask, claim: token },
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
        return Effect.flatMap(taken, (found) => (found === undefined ? worked : Effect.succeed(kept(found))))
      })
    )

  // One whose answer was lost, or that could not be let go, would keep its key from everybody.
  const sweep = Effect.gen(function* () {
    const own = (yield* store.own).map(asClaimed)
    yield* Effect.forEach(comeOff(own, Array.from(inHand, asClaimed)), ({ token }) => store.remove(token), {
      discard: true
    })
  })
  yield* Effect.withClock(
    daemon("idempotency.claims", Effect.as(sweep, Effect.sleep(sweepEvery)), backoff),
    Clock.make()
  )
  node.onBurial(waiting.wakeAll)

  const claims: OneAtATime = { once }
  return claims
})

/** What is to be looked at again. */
const again = Symbol("again")

const asClaimed = (token: string) => ({ id: "", token })
