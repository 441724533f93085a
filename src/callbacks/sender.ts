import { Cause, Clock, Effect, Layer, Option, Scope } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Node } from "../cluster/Node.ts"
import { makeWake } from "../tasks/Wake.ts"
import type { LeasedDelivery, Outcome } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { Due, Taken } from "./DeliveryQueue.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import type { HostDue } from "./store/deliveryStatements.ts"
import { DeliveryWake } from "./DeliveryWake.ts"
import { makeSend } from "./send.ts"

/** Sockets in all and per receiver: it takes eight accounts with dead receivers in four domains to make the others wait. */
const limits = { all: 512, perHost: 16, perUnprovenHost: 4, perAccount: 64, perDomain: 128 }

/** How often all that is stored is looked at: nothing is new there, unless something went wrong, or is another node's. */
const lookEvery = (isShared: boolean) => (isShared ? "15 seconds" : "10 minutes")

/** A line for each attempt (`delivery.attempt`): where it failed at `warn`, else at `debug`. */
const told = (
  { account_id, attempts, host, id, status: state, task_id }: LeasedDelivery,
  { endedAtMs, reason, startedAtMs, status }: Outcome
): Effect.Effect<void> =>
  Effect.annotateLogs(
    reason === undefined
      ? Effect.logDebug("a callback was delivered")
      : Effect.logWarning("a callback was not delivered"),
    {
      event: "delivery.attempt",
      delivery: id,
      task: task_id,
      state,
      account: account_id,
      host,
      attempt: attempts.length + 1,
      ...(status === undefined ? {} : { status }),
      ...(reason === undefined ? {} : { reason }),
      duration_ms: endedAtMs - startedAtMs
    }
  )

/** Sends what is due, forever: wakes at once for a new change, else when the next retry is due. */
const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const wake = yield* DeliveryWake
  const send = yield* makeSend
  // Closed after the daemons: what is given back when the process stops is not claimed again.
  const attempts = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const node = yield* Node
  const queue = new DeliveryQueue(limits)
  const inHand = new Set<LeasedDelivery>()
  const died = makeWake()

  const look = Effect.gen(function* () {
    yield* store.putBack(inHand)
    for (const one of yield* store.hosts) queue.saw(one.host, dueOf(one))
    wake.ring()
    return Effect.timeoutOption(died.heard, lookEvery(node.isShared))
  })

  /** Runs uninterruptible but for the sending itself: what was claimed is written down or given back. */
  const attempt = (leased: LeasedDelivery, taken: Taken) =>
    Effect.interruptible(send(leased)).pipe(
      Effect.onInterrupt(() => Effect.ignore(store.release(leased))),
      Effect.tap((outcome) => {
        queue.heard(leased.host, outcome.status !== undefined)
        return store.finish(leased, outcome)
      }),
      Effect.tap((outcome) => told(leased, outcome)),
      // What can't even be written down is tried again when its lease is over.
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logWarning("callback attempt broke off", cause)
      ),
      Effect.zipRight(refresh(leased.host, leased.account_id)),
      Effect.ensuring(
        Effect.sync(() => {
          inHand.delete(leased)
          queue.give(taken, 1)
          wake.ring()
        })
      )
    )

  /** Asks when the host's next delivery is due; asks again soon where there was no answer. */
  const refresh = (host: string, account: AccountId) =>
    Effect.suspend(() => {
      const question = queue.ask(host)
      return store.nextDue(host).pipe(
        Effect.map((found) => Option.getOrUndefined(Option.map(found, dueOf))),
        Effect.catchAll(() => Effect.map(Clock.currentTimeMillis, (nowMs) => ({ atMs: nowMs + 1_000, account }))),
        Effect.map((due) => queue.settle(host, due, question))
      )
    })

  const claim = Effect.fnUntraced(function* ([host, { account }]: readonly [string, Due]) {
    const room = queue.room(host, account)
    if (room === 0) return
    const taken = queue.take(host, account, room)
    const leased = yield* store.claim(host, room).pipe(Effect.ensuring(Effect.sync(() => queue.give(taken, room))))
    leased.forEach((one) => inHand.add(one))
    yield* Effect.forEach(leased, (one) => Effect.forkIn(attempt(one, queue.take(host, one.account_id, 1)), attempts), {
      discard: true
    })
    if (leased.length < room) yield* refresh(host, account)
  }, Effect.uninterruptible)

  const dispatch = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const [host, account] of wake.drain()) queue.note(host, { atMs: nowMs, account })
    yield* Effect.forEach(queue.ready(nowMs), claim, { discard: true, concurrency: 32 })
    const pause = queue.nextAt() - (yield* Clock.currentTimeMillis)
    if (pause <= 0) return Effect.void
    return pause < Infinity ? Effect.raceFirst(wake.heard, Effect.sleep(pause)) : wake.heard
  })

  yield* Effect.orDie(store.takeOver)
  yield* daemon("callbacks", dispatch, backoff)
  // What a dead node held, and what only it knew to be due later.
  node.onBurial(died.ring)
  const looks = daemon("callbacks.look", look, backoff)
  // Other processes have no test's clock.
  yield* node.isShared ? Effect.withClock(looks, Clock.make()) : looks
})

const dueOf = ({ account_id, due }: HostDue): Due => ({ atMs: due, account: account_id })

/** The sender as a part of the process: starts with it, and gives back what is under way when it stops. */
export const SenderLive = Layer.scopedDiscard(make).pipe(Layer.provide([Daemons.Default, Node.Default]))
