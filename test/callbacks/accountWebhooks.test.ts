import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { deliveryId } from "../../src/callbacks/Delivery.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { describeOnEach } from "../sql/engines.ts"
import { deliveries, hook, pass } from "./deliveries.ts"
import { account, createTask, moveTask, owner, quiet, sending, stubReceiver } from "./world.ts"

const webhook = "https://webhook.test/events"

const subscribe = Effect.gen(function* () {
  yield* account(owner)
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE accounts SET webhook_url = ${webhook} WHERE id = ${owner}`
})

describeOnEach("an account's webhook", () => {
  it.effect("gets a task's event beside its callbacks, retried over a restart, under one id", () => {
    let status = 500
    const receiver = stubReceiver(({ url }) => (url === webhook ? status : 200))
    const told = () => receiver.sent.filter(({ url }) => url === webhook)
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* subscribe
        yield* createTask("t1", hook)
        yield* createTask("t2", null)
        yield* quiet
        yield* moveTask("t1", "running", "succeeded")
        yield* moveTask("t2", "succeeded")
        yield* pass("4 seconds", "1 second")
        expect(told().map(({ body }) => JSON.parse(body))).toEqual(
          expect.arrayContaining(
            ["t1", "t2"].map((id) => ({
              id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
              object: "event",
              created_at: 0,
              type: "video.completed",
              data: { id }
            }))
          )
        )
        // The callbacks do not wait for the webhook, and are as they were.
        expect(receiver.sent.filter(({ url }) => url === hook).map((sent) => sent.status)).toEqual([
          "queued",
          "running",
          "succeeded"
        ])
      }).pipe(Effect.provide(sending(receiver.layer, "webhook")))
      status = 200
      yield* Effect.gen(function* () {
        yield* pass("1 minute", "5 seconds")
        const sent = Object.groupBy(told(), ({ id }) => id)
        expect(Object.keys(sent).toSorted()).toEqual(
          ["t1", "t2"].map((id) => deliveryId(id, "video.completed")).toSorted()
        )
        expect(Object.values(sent).map((tries) => tries?.length)).toEqual([2, 2])
        expect(new Set(told().map(({ body }) => body)).size).toBe(2)
        const events = (yield* deliveries("t1")).map(({ event, state }) => [event, state])
        expect(events).toEqual([
          [undefined, "delivered"],
          [undefined, "delivered"],
          [undefined, "delivered"],
          ["video.completed", "delivered"]
        ])
        expect((yield* (yield* TaskStore).summary("t2"))?.callback_state).toBe(null)
      }).pipe(Effect.provide(sending(receiver.layer, "webhook")))
    })
  })

  it.effect("is told whatever the task's own callback address answers", () => {
    const receiver = stubReceiver(({ url }) => (url === webhook ? 200 : 410))
    return Effect.gen(function* () {
      yield* subscribe
      yield* createTask("t1", hook)
      yield* quiet
      yield* moveTask("t1", "running", "succeeded")
      yield* pass("4 seconds", "1 second")
      expect(receiver.sent.map(({ url }) => url)).toEqual([hook, webhook])
    }).pipe(Effect.provide(sending(receiver.layer)))
  })
})
