import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FiberId } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import type { Once } from "../../src/contract/handlers.ts"
import { KeptAnswers } from "../../src/idempotency/store/KeptAnswers.ts"
import { describeOnEach } from "../sql/engines.ts"
import { settled } from "../tasks/engine.ts"
import { adjust } from "../sql/clock.ts"
import { ask, askText, live, request, rows } from "./counted.ts"
import type { Start } from "./counted.ts"

/** Work that counts its starts and waits until `open`. */
const counted = (answer: Effect.Effect<unknown, unknown> = Effect.succeed("done")) => {
  const gate = Deferred.unsafeMake<void>(FiberId.none)
  const work = { begun: 0, left: 0, open: Deferred.succeed(gate, undefined) }
  const start: Start = () =>
    Effect.suspend(() => {
      work.begun++
      return Effect.zipRight(Deferred.await(gate), answer)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => work.left++)))
  return { work, start }
}

describeOnEach("requests with the same Idempotency-Key", () => {
  it.effect("share one execution when concurrent", () =>
    Effect.gen(function* () {
      const { start, work } = counted()
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 100 }, () => askText(start)),
          { concurrency: "unbounded" }
        )
      )
      yield* settled
      yield* work.open
      const answers = yield* Fiber.join(all)
      expect(work.begun).toBe(1)
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['"done"']))
      expect(answers.filter(({ replayed }) => replayed === "true")).toHaveLength(99)
    }).pipe(Effect.provide(live))
  )

  it.effect("replay the first answer for 24 hours, then run again", () =>
    Effect.gen(function* () {
      expect(yield* askText(() => Effect.succeed(1))).toEqual({ status: 200, replayed: null, text: "1" })
      yield* adjust("23 hours")
      expect(yield* askText(() => Effect.succeed(2))).toEqual({ status: 200, replayed: "true", text: "1" })
      yield* adjust("1 hours")
      expect(yield* askText(() => Effect.succeed(3))).toEqual({ status: 200, replayed: null, text: "3" })
      expect(yield* askText(() => Effect.succeed(4))).toMatchObject({ text: "3" })
    }).pipe(Effect.provide(live))
  )

  it.effect("are refused with another body, during the first request and after", () =>
    Effect.gen(function* () {
      const { start, work } = counted()
      const first = yield* Effect.fork(askText(start))
      yield* settled
      const other = askText(start, { bodyHash: "other" })
      expect(yield* Effect.flip(other)).toMatchObject({ _tag: "Conflict" })
      yield* work.open
      yield* Fiber.join(first)
      expect(yield* Effect.flip(other)).toMatchObject({ _tag: "Conflict" })
    }).pipe(Effect.provide(live))
  )

  it.effect("are independent for other accounts, endpoints or keys", () =>
    Effect.gen(function* () {
      yield* askText(() => Effect.succeed(1))
      for (const other of [{ account: AccountId.make("b") }, { endpoint: "f" }, { key: "l" }]) {
        expect(yield* askText(() => Effect.succeed(2), { ...other, bodyHash: "x" })).toMatchObject({ text: "2" })
      }
    }).pipe(Effect.provide(live))
  )

  it.effect("are independent for other accounts, endpoints or keys while the first runs", () =>
    Effect.gen(function* () {
      const { start, work } = counted()
      const first = yield* Effect.fork(askText(start))
      yield* settled
      for (const other of [{ account: AccountId.make("b") }, { endpoint: "f" }, { key: "l" }]) {
        expect(yield* askText(() => Effect.succeed(2), other)).toEqual({ status: 200, replayed: null, text: "2" })
      }
      yield* work.open
      expect(yield* Fiber.join(first)).toMatchObject({ replayed: null, text: '"done"' })
    }).pipe(Effect.provide(live))
  )

  it.effect("share a failure or defect, and run again afterwards", () =>
    Effect.gen(function* () {
      const failure = new RateLimited({ retryAfterSeconds: 1 })
      for (const end of [Effect.fail(failure), Effect.die("no")]) {
        const { start, work } = counted(end)
        const both = yield* Effect.fork(
          Effect.all([Effect.exit(ask(start)), Effect.exit(ask(start))], { concurrency: 2 })
        )
        yield* settled
        yield* work.open
        expect((yield* Fiber.join(both)).map(Exit.isFailure)).toEqual([true, true])
        expect(work.begun).toBe(1)
        expect(yield* rows).toBe(0)
      }
      expect(yield* askText(() => Effect.succeed("well"))).toMatchObject({ text: '"well"', replayed: null })
    }).pipe(Effect.provide(live))
  )

  it.effect("continue while one client is connected, and stop when the last one leaves", () =>
    Effect.gen(function* () {
      const { start, work } = counted()
      const [first, second] = [yield* Effect.fork(ask(start)), yield* Effect.fork(askText(start))]
      yield* settled
      yield* Fiber.interrupt(first)
      yield* settled
      expect(work.left).toBe(0)
      yield* Fiber.interrupt(second)
      yield* settled
      expect(work.left).toBe(1)
      const third = yield* Effect.fork(askText(start))
      yield* settled
      yield* work.open
      expect(yield* Fiber.join(third)).toMatchObject({ text: '"done"', replayed: null })
      expect(work.begun).toBe(2)
    }).pipe(Effect.provide(live))
  )

  it.effect("roll back a second execution that keeps its answer in its own transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const make = (once: Once) =>
        Effect.as(
          sql.withTransaction(
            Effect.zipRight(once.keep("made"), sql`INSERT INTO accounts (id, created_at) VALUES ('made once', 1)`)
          ),
          "made"
        )
      yield* askText(make)
      // A second answer is written for the same key.
      const late = Effect.flatMap(KeptAnswers, (answers) =>
        sql.withTransaction(
          Effect.zipRight(
            answers.keep(request, { status: 200, contentType: "", bytes: Buffer.from("") }),
            sql`INSERT INTO accounts (id, created_at) VALUES ('made twice', 2)`
          )
        )
      )
      expect(yield* Effect.flip(late)).toMatchObject({ _tag: "Conflict" })
      expect(yield* sql`SELECT id FROM accounts WHERE id LIKE 'made %'`).toEqual([{ id: "made once" }])
      expect(yield* askText(make)).toMatchObject({ text: '"made"', replayed: "true" })
    }).pipe(Effect.provide(live))
  )

  it.effect("are purged after 24 hours, in batches", () =>
    Effect.gen(function* () {
      const answers = yield* KeptAnswers
      for (let n = 0; n < 120; n++) yield* askText(() => Effect.succeed(n), { key: String(n) })
      expect(yield* answers.purge).toBe(0)
      yield* adjust("24 hours")
      expect(yield* answers.purge).toBe(100)
      expect(yield* answers.purge).toBe(20)
      expect(yield* rows).toBe(0)
    }).pipe(Effect.provide(live))
  )
})
