import { SqlClient } from "@effect/sql"
import { Cause, Clock, Effect, Layer, Option, Schedule } from "effect"
import type { Held } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { DeliveryWake } from "./DeliveryWake.ts"
import { makeSend } from "./send.ts"

/** Sockets in all and per receiver: it takes 128 receivers that are dead at once to make the others wait. */
const limits = { all: 512, perHost: 16, perUnprovenHost: 4 }

const backoff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)

/** Sends what is due, forever: wakes at once for a new change, else when the next retry is due. */
const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const wake = yield* DeliveryWake
  const send = yield* makeSend
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const queue = new DeliveryQueue(limits)

  const look = Effect.map(store.hosts, (hosts) => hosts.forEach(({ host, due }) => queue.note(host, due)))

  /** Runs uninterruptible but for the sending itself: what was claimed is written down or given back. */
  const attempt = (held: Held) =>
    Effect.interruptible(send(held)).pipe(
      Effect.onInterrupt(() => Effect.ignore(store.release(held))),
      Effect.tap((outcome) => {
        queue.heard(held.host, outcome.status !== undefined)
        return store.finish(held, outcome)
      }),
      Effect.tap((outcome) =>
        outcome.reason === undefined
          ? Effect.void
          : Effect.logInfo("callback not delivered").pipe(
              Effect.annotateLogs({ delivery: held.id, task: held.task_id, host: held.host, reason: outcome.reason })
            )
      ),
      // What can't even be written down is tried again when its lease is over.
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logWarning("callback attempt broke off", cause)
      ),
      Effect.zipRight(refresh(held.host)),
      Effect.ensuring(
        Effect.sync(() => {
          queue.give(held.host, 1)
          wake.ring()
        })
      )
    )

  /** Asks when the host's next delivery is due; asks again soon where there was no answer. */
  const refresh = (host: string) =>
    store.nextDue(host).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchAll(() => Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs + 1_000)),
      Effect.map((due) => queue.settle(host, due))
    )

  const claim = (host: string) =>
    Effect.gen(function* () {
      const room = queue.room(host)
      if (room === 0) return
      queue.take(host, room)
      const held = yield* store.claim(host, room).pipe(Effect.onError(() => Effect.sync(() => queue.give(host, room))))
      queue.give(host, room - held.length)
      yield* Effect.forEach(held, (one) => Effect.forkIn(attempt(one), scope), { discard: true })
      if (held.length < room) yield* refresh(host)
    }).pipe(Effect.uninterruptible)

  const dispatch = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const host of wake.drain()) queue.note(host, nowMs)
    yield* Effect.forEach(queue.ready(nowMs), claim, { discard: true, concurrency: 32 })
    const pause = queue.nextAt() - (yield* Clock.currentTimeMillis)
    if (pause > 0) yield* pause < Infinity ? Effect.raceFirst(wake.heard, Effect.sleep(pause)) : wake.heard
  })

  const daemon = <A, E>(name: string, work: Effect.Effect<A, E>) =>
    work.pipe(
      Effect.tapErrorCause((cause) => Effect.logWarning(cause)),
      Effect.retry(backoff),
      Effect.forever,
      Effect.annotateLogs({ fiber: name }),
      Effect.forkScoped
    )

  /** What this process was not told: on Postgres another node's work, on SQLite nothing, unless something went wrong. */
  const lookEvery = sql.onDialectOrElse({ sqlite: () => "10 minutes" as const, orElse: () => "10 seconds" as const })

  yield* Effect.orDie(store.takeOver)
  yield* daemon("callbacks", dispatch)
  yield* daemon("callbacks.look", Effect.zipRight(Effect.tap(look, Effect.sync(wake.ring)), Effect.sleep(lookEvery)))
})

/** The sender as a part of the process: starts with it, and gives back what is under way when it stops. */
export const SenderLive = Layer.scopedDiscard(make)
