import { Cause, Clock, Effect, Layer, Option, Scope } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { descriptors } from "../flow/Descriptors.ts"
import { backoff } from "../flow/schedules.ts"
import { Node } from "../cluster/Node.ts"
import type { LeasedDelivery, Outcome } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { Due, Taken } from "./DeliveryQueue.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import type { HostDue } from "./store/deliveryStatements.ts"
import { DeliveryWake } from "./DeliveryWake.ts"
import { makeSend } from "./send.ts"

/**
 * Concurrent deliveries in all and per receiver. It takes eight accounts with dead receivers in four domains to delay
 * others.
 */
const limits = { all: 512, perHost: 16, perUnprovenHost: 4, perAccount: 64, perDomain: 128 }

/** The interval of scans of the whole table, which only find other nodes' deliveries or what went wrong. */
const lookEvery = (isShared: boolean) => (isShared ? "15 seconds" : "10 minutes")

/** Logs an attempt (`delivery.attempt`): a failed one at `warn`, others at `debug`. */
const logAttempt = (
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

/** Sends due deliveries for ever: wakes for a new change or at the next retry. */
const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const wake = yield* DeliveryWake
  const send = yield* makeSend
  // Closed after the daemons, so that deliveries released at shutdown are not claimed again.
  const attempts = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const node = yield* Node
  const queue = new DeliveryQueue(limits)
  const inHand = new Set<LeasedDelivery>()

  const look = Effect.gen(function* () {
    yield* store.putBack(inHand)
    for (const one of yield* store.hosts) queue.noteScan(one.host, dueOf(one))
    wake.ring()
    return Effect.timeoutOption(wake.nextScan, lookEvery(node.isShared))
  })

  /** Only the sending is interruptible: a claimed delivery is always recorded or released. */
  const attempt = (leased: LeasedDelivery, taken: Taken) =>
    Effect.interruptible(send(leased)).pipe(
      Effect.onInterrupt(() => Effect.ignore(store.release(leased))),
      Effect.tap((outcome) => {
        const isAnswered = outcome.status !== undefined
        // Without descriptors here, no receiver answers.
        if (isAnswered || !descriptors.isExhausted()) queue.noteAnswer(leased.host, isAnswered)
        return store.finish(leased, outcome)
      }),
      Effect.tap((outcome) => logAttempt(leased, outcome)),
      Effect.catchTag("ClaimTooOld", () => store.release(leased)),
      // If even this fails, the delivery is retried when its lease expires.
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logWarning("a callback attempt failed with a defect", cause)
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

  /** Queries the host's next due delivery. Repeats soon if the query failed. */
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
    return pause < Infinity ? Effect.raceFirst(wake.nextRing, Effect.sleep(pause)) : wake.nextRing
  })

  yield* Effect.orDie(store.takeOver)
  yield* daemon("callbacks", dispatch, backoff)
  // Deliveries that a dead node held, or that only it knew to be due later.
  node.onReaped(wake.scan)
  const looks = daemon("callbacks.look", look, backoff)
  // A TestClock does not drive other processes.
  yield* node.isShared ? Effect.withClock(looks, Clock.make()) : looks
})

const dueOf = ({ account_id, due }: HostDue): Due => ({ atMs: due, account: account_id })

/** Runs the sender. When the process stops, it releases deliveries in flight. */
export const SenderLive = Layer.scopedDiscard(make).pipe(Layer.provide([Daemons.Default, Node.Default]))
