import { expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { deliveryId } from "../../src/callbacks/Delivery.ts"
import { describeOnEach } from "../sql/engines.ts"
import { deliveries, hook, pass } from "./deliveries.ts"
import { createTask, moveTask, owner, quiet, sending, stubReceiver } from "./world.ts"
import type { Answer } from "./world.ts"

describeOnEach("the last answer of a callback address", () => {
  const held: ReadonlyArray<readonly [status: number, sentAgain: ReadonlyArray<string>]> = [
    [200, ["queued", "running", "succeeded"]],
    [503, ["queued", "running", "succeeded"]]
  ]
  it.effect.each(held)(
    "put off a task's next change by the Retry-After of a %i, over a restart, too",
    ([status, all]) => {
      // The other task's callback may come first.
      const isFirst = () => receiver.sent.filter(({ url }) => url === hook).length === 1
      const receiver = stubReceiver(({ url }) =>
        url === hook && isFirst() ? { status, headers: { "retry-after": "100" } } : 200
      )
      const name = `put-off-${status}`
      return Effect.gen(function* () {
        yield* Effect.gen(function* () {
          yield* createTask("t1", hook)
          yield* createTask("t2", "https://receiver.test/other")
          yield* quiet
          yield* moveTask("t1", "running")
          yield* pass("50 seconds", "10 seconds")
          expect((yield* deliveries("t1"))[1]).toMatchObject({ state: "pending", next_attempt_at: 100 })
        }).pipe(Effect.provide(sending(receiver.layer, name)))
        yield* Effect.gen(function* () {
          yield* moveTask("t1", "succeeded")
          yield* pass("100 seconds", "10 seconds")
          const sent = receiver.sent.filter(({ url }) => url === hook)
          expect(sent.map((one) => one.status)).toEqual(all)
          expect(sent.map((one) => one.atMs)).toEqual([0, 100_000, 100_000])
          expect((yield* deliveries("t1"))[0]?.attempts).toMatchObject([{ status, not_before: 100 }])
          // Other tasks of the receiver are not held.
          expect(receiver.sent.find(({ url }) => url !== hook)?.atMs).toBe(0)
        }).pipe(Effect.provide(sending(receiver.layer, name)))
      })
    }
  )

  it.effect("puts off a change that already waits behind the answered one", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<Answer>()
      const receiver = stubReceiver(({ status }) => (status === "queued" ? Deferred.await(answered) : 200))
      yield* Effect.gen(function* () {
        yield* createTask("t1", hook)
        yield* quiet
        yield* moveTask("t1", "running")
        yield* Deferred.succeed(answered, { status: 429, headers: { "retry-after": "60" } })
        yield* pass("2 minutes", "10 seconds")
        expect(receiver.sent.map(({ atMs, status }) => [status, atMs])).toEqual([
          ["queued", 0],
          ["running", 60_000]
        ])
      }).pipe(Effect.provide(sending(receiver.layer)))
    })
  )

  it.effect("ends, as a 410, all changes of the task, those that wait and those to come, over a restart, too", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<Answer>()
      const receiver = stubReceiver(() => (receiver.sent.length === 1 ? Deferred.await(answered) : 200))
      yield* Effect.gen(function* () {
        yield* createTask("t1", hook)
        yield* quiet
        yield* moveTask("t1", "running")
        yield* Deferred.succeed(answered, 410)
        yield* pass("1 minute", "10 seconds")
        expect((yield* deliveries("t1")).map(({ state }) => state)).toEqual(["failed", "failed"])
      }).pipe(Effect.provide(sending(receiver.layer, "gone")))
      yield* Effect.gen(function* () {
        yield* moveTask("t1", "succeeded")
        yield* pass("2 minutes", "10 seconds")
        expect(receiver.sent.map(({ status }) => status)).toEqual(["queued"])
        const [, running, succeeded] = yield* deliveries("t1")
        for (const one of [running, succeeded]) expect(one).toMatchObject({ state: "failed", attempts: [] })
        // Its owner can still ask for them, and so ends the silence.
        yield* (yield* Deliveries).redeliver(owner, "t1", deliveryId("t1", "succeeded"))
        yield* quiet
        expect(receiver.sent.map(({ status }) => status)).toEqual(["queued", "succeeded"])
      }).pipe(Effect.provide(sending(receiver.layer, "gone")))
    })
  )
})
