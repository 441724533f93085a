import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, TestClock } from "effect"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { deliveryId } from "../../src/callbacks/Delivery.ts"
import { schedule } from "../../src/callbacks/schedule.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { deliveries, pass } from "./deliveries.ts"
import { createTask, moveTask, owner, quiet, sending, stubReceiver } from "./world.ts"
import type { Answer } from "./world.ts"
import { adjust } from "../sql/clock.ts"
import { describeOnEach } from "../sql/engines.ts"
import { eventually } from "../tasks/engine.ts"

const hook = "https://receiver.test/hook?token=secret"
const scheduleMs = schedule.map(Duration.toMillis)

describeOnEach("callbacks", () => {
  it.effect("send every change once, in order, with the record's bytes and an id of its own", () => {
    const receiver = stubReceiver(() => 204)
    return Effect.gen(function* () {
      yield* createTask("t1", hook)
      yield* createTask("silent", null)
      yield* quiet
      yield* moveTask("t1", "running", "succeeded")
      yield* quiet
      expect(receiver.sent.map((sent) => sent.status)).toEqual(["queued", "running", "succeeded"])
      expect(receiver.sent.map((sent) => sent.id)).toEqual(
        ["queued", "running", "succeeded"].map((status) => deliveryId("t1", status))
      )
      expect(receiver.sent[0]?.body).toBe(JSON.stringify({ id: "t1", status: "queued", note: "é\u2028😀" }))
      expect(receiver.sent[0]).toMatchObject({ url: hook, headers: { "content-type": "application/json" } })
      expect((yield* deliveries("t1")).map((delivery) => delivery.state)).toEqual(Array(3).fill("delivered"))
      yield* pass("26 hours", "1 hour")
      expect(receiver.sent).toHaveLength(3)
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("try the last change of a task 0, 5 s, 30 s, 2 m, 10 m, 1 h, 6 h and 24 h after it, then give up", () => {
    const receiver = stubReceiver(({ status }) => (status === "cancelled" ? 500 : 200))
    return Effect.gen(function* () {
      yield* createTask("t1", hook)
      yield* quiet
      yield* adjust("1 minute")
      const store = yield* TaskStore
      yield* store.end("t1", "cancelled")
      const changedAt = 60_000
      yield* Effect.forEach(
        ["10 seconds", "1 minute", "5 minutes", "30 minutes", "2 hours", "8 hours", "30 hours"],
        (span) => Effect.zipRight(quiet, adjust(span as Duration.DurationInput))
      )
      yield* quiet
      const times = receiver.sent.slice(1).map((sent) => sent.atMs - changedAt)
      expect(times).toHaveLength(scheduleMs.length)
      scheduleMs.forEach((planned, i) => {
        expect(times[i]).toBeGreaterThanOrEqual(planned)
        expect(times[i]).toBeLessThanOrEqual(planned + Math.min(planned / 10, 300_000))
      })
      expect(new Set(receiver.sent.slice(1).map((sent) => sent.id + sent.body)).size).toBe(1)
      const [, last] = yield* deliveries("t1")
      expect(last).toMatchObject({ status: "cancelled", state: "failed" })
      expect(last?.attempts.map((attempt) => `${attempt.status} ${attempt.reason}`)).toEqual(
        Array(8).fill("500 not a 2xx answer")
      )
      expect(last).not.toHaveProperty("next_attempt_at")
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("stop retrying a change once a newer one exists, after its own first attempt", () => {
    const receiver = stubReceiver(() => "silence")
    return Effect.gen(function* () {
      yield* createTask("t1", hook)
      yield* pass("40 seconds", "1 second")
      expect(receiver.sent.map((sent) => sent.status)).toEqual(["queued", "queued", "queued"])
      yield* moveTask("t1", "running", "failed")
      yield* pass("4 seconds", "1 second")
      expect(receiver.sent.slice(3).map((sent) => sent.status)).toEqual(["running", "failed"])
      yield* pass("1 minute", "1 second")
      expect(receiver.sent.slice(5).map((sent) => sent.status)).toEqual(["failed", "failed"])
      expect((yield* deliveries("t1")).map((delivery) => delivery.state)).toEqual([
        "superseded",
        "superseded",
        "pending"
      ])
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("keep a task's order while an earlier change is still under way", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<Answer>()
      const receiver = stubReceiver(({ status }) => (status === "queued" ? Deferred.await(answered) : 200))
      yield* Effect.gen(function* () {
        yield* createTask("t1", hook)
        yield* quiet
        yield* moveTask("t1", "running", "succeeded")
        yield* createTask("t2", hook)
        yield* quiet
        // The other task's change doesn't wait; this one's do.
        expect(receiver.sent.map((sent) => sent.status)).toEqual(["queued", "queued"])
        expect((yield* deliveries("t1")).map((delivery) => delivery.state)).toEqual(["pending", "waiting", "waiting"])
        yield* Deferred.succeed(answered, 503)
        yield* quiet
        expect(receiver.sent.slice(2).map((sent) => sent.status)).toEqual(["running", "succeeded"])
      }).pipe(Effect.provide(sending(receiver.layer)))
    })
  )

  it.effect.each(["signing", "resolving"] as const)(
    "are not sent by a process that was suspended while %s: another may have sent later ones",
    (suspendedWhile) => {
      let handOn: Effect.Effect<unknown> = Effect.void
      const suspended = Effect.suspend(() => Effect.zipRight(TestClock.adjust("16 seconds"), handOn))
      const resolving = suspendedWhile === "resolving" ? suspended : Effect.void
      const signing = suspendedWhile === "signing" ? suspended : Effect.void
      const receiver = stubReceiver(() => 200, resolving)
      const secrets = WebhookSecrets.Test({ signing: () => Effect.as(signing, []) })
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        handOn = Effect.orDie(
          sql`UPDATE deliveries SET state = 'delivered', next_at = NULL, lease_token = NULL, lease_owner = NULL`
        )
        yield* createTask("t1", hook)
        yield* eventually(deliveries("t1"), ([first]) => first?.state === "delivered")
        yield* quiet
        expect(receiver.sent).toEqual([])
        expect((yield* deliveries("t1"))[0]?.attempts).toEqual([])
      }).pipe(Effect.provide(sending(receiver.layer, undefined, secrets)))
    }
  )

  it.effect("are sent by a process that was suspended and still has the claim", () => {
    let suspensions = 1
    const receiver = stubReceiver(() => 200)
    const suspended = Effect.suspend(() => (suspensions-- > 0 ? TestClock.adjust("5 seconds") : Effect.void))
    const secrets = WebhookSecrets.Test({ signing: () => Effect.as(suspended, []) })
    return Effect.gen(function* () {
      yield* createTask("t1", hook)
      const [delivered] = yield* eventually(deliveries("t1"), ([first]) => first?.state === "delivered")
      expect(delivered).toMatchObject({ attempts: [{ at: 5, status: 200 }] })
      expect(receiver.sent.map(({ atMs, status }) => [atMs, status])).toEqual([[5_000, "queued"]])
    }).pipe(Effect.provide(sending(receiver.layer, undefined, secrets)))
  })

  it.effect("wait as long as Retry-After says, in seconds or as a date", () => {
    const answers: Array<Answer> = [
      { status: 429, headers: { "retry-after": "100" } },
      { status: 503, headers: { "retry-after": "Thu, 01 Jan 1970 00:05:00 GMT" } },
      200
    ]
    const receiver = stubReceiver(() => answers[receiver.sent.length - 1] ?? 200)
    return Effect.gen(function* () {
      yield* createTask("t1", hook)
      yield* pass("10 minutes", "10 seconds")
      expect(receiver.sent.map((sent) => Math.floor(sent.atMs / 1000))).toEqual([0, 100, 300])
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("take 410 as the end, a redirect as a failure, and any 2xx as delivered", () => {
    const answers: Record<string, Answer> = {
      gone: 410,
      moved: { status: 302, headers: { location: "https://elsewhere.test/" } },
      odd: 299
    }
    const receiver = stubReceiver(({ url }) => answers[new URL(url).pathname.slice(1)] ?? 500)
    return Effect.gen(function* () {
      yield* Effect.forEach(Object.keys(answers), (name) => createTask(name, `https://receiver.test/${name}`))
      yield* pass("1 minute", "1 second")
      const [gone] = yield* deliveries("gone")
      expect(gone).toMatchObject({ state: "failed", attempts: [{ status: 410 }] })
      const [moved] = yield* deliveries("moved")
      expect(moved).toMatchObject({ state: "pending", attempts: [{ status: 302 }, { status: 302 }, { status: 302 }] })
      const [odd] = yield* deliveries("odd")
      expect(odd).toMatchObject({ state: "delivered", attempts: [{ status: 299 }] })
      expect(receiver.sent.every((sent) => sent.url.startsWith("https://receiver.test/"))).toBe(true)
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("go out once more when their owner asks, and for no other account", () => {
    let answer = 410
    const receiver = stubReceiver(() => answer)
    return Effect.gen(function* () {
      const service = yield* Deliveries
      yield* createTask("t1", hook)
      yield* quiet
      const id = deliveryId("t1", "queued")
      const stranger = AccountId.make("acc_other")
      expect(yield* service.list(stranger, "t1")).toEqual([])
      const before = yield* deliveries("t1")
      expect((yield* Effect.flip(service.redeliver(stranger, "t1", id)))._tag).toBe("NotFound")
      expect((yield* Effect.flip(service.redeliver(owner, "t2", id)))._tag).toBe("NotFound")
      yield* pass("1 minute", "10 seconds")
      expect(yield* deliveries("t1")).toEqual(before)
      expect(receiver.sent).toHaveLength(1)
      expect((yield* service.redeliver(owner, "t1", id)).state).toBe("pending")
      yield* quiet
      expect((yield* deliveries("t1"))[0]).toMatchObject({ state: "failed", attempts: [{}, {}] })
      answer = 200
      yield* service.redeliver(owner, "t1", id)
      yield* quiet
      expect((yield* deliveries("t1"))[0]).toMatchObject({ state: "delivered", attempts: [{}, {}, { status: 200 }] })
      // A delivered one that fails to be delivered again was delivered all the same.
      answer = 500
      yield* service.redeliver(owner, "t1", id)
      yield* pass("1 minute", "1 second")
      expect((yield* deliveries("t1"))[0]?.state).toBe("delivered")
      expect(receiver.sent).toHaveLength(4)
      expect(new Set(receiver.sent.map((sent) => sent.id + sent.body)).size).toBe(1)
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("of one account to 150 dead receivers don't delay another account's", () => {
    const receiver = stubReceiver(({ url }) =>
      url.includes("dead") ? Effect.as(Effect.sleep("15 seconds"), "silence" as const) : 200
    )
    return Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 750 }, (_, i) => i),
        (i) => createTask(`dead${i}`, `https://hook.dead${i % 150}.test/`),
        { discard: true }
      )
      yield* quiet
      expect(receiver.sent.length).toBeGreaterThan(30)
      yield* createTask("other", hook, AccountId.make("acc_other"))
      yield* pass("2 seconds", "1 second")
      expect(receiver.sent.some(({ url }) => url === hook)).toBe(true)
      // Nor do they wait for ever themselves.
      const before = receiver.sent.length
      yield* pass("16 seconds", "1 second")
      expect(receiver.sent.length).toBeGreaterThan(before + 30)
    }).pipe(Effect.provide(sending(receiver.layer)))
  })

  it.effect("leave with their task", () => {
    const receiver = stubReceiver(() => 500)
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* TaskStore
      yield* createTask("t1", hook)
      yield* store.end("t1", "cancelled")
      yield* quiet
      expect(yield* store.remove(owner, "video", "t1")).toBe(true)
      expect(yield* sql`SELECT id FROM deliveries`).toEqual([])
      const before = receiver.sent.length
      yield* pass("1 minute", "1 second")
      expect(receiver.sent).toHaveLength(before)
    }).pipe(Effect.provide(sending(receiver.layer)))
  })
})
