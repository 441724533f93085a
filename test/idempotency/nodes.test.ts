import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { Node, NodeTimes } from "../../src/cluster/Node.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { eventually } from "../tasks/engine.ts"
import { engines } from "../sql/engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))
const times = { renewEvery: 3_600_000, goodFor: 15_000, lookEvery: 3_600_000, othersFirst: 0 }
const request = { account: AccountId.make("a"), endpoint: "e", key: "k", bodyHash: "h" }

/** A node; `ask` sends it a request that runs `work`. */
const start = (url: string) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const built = yield* Layer.merge(Idempotency.Default, Node.Default).pipe(
      Layer.provideMerge(databaseAt({ url, exclusive: false })),
      Layer.provide(Layer.succeed(NodeTimes, times)),
      Layer.build,
      Scope.extend(scope)
    )
    const { answer } = Context.get(built, Idempotency)
    const shape = { status: 200, render: (value: unknown) => JSON.stringify(value) }
    return {
      sql: Context.get(built, SqlClient.SqlClient),
      node: Context.get(built, Node),
      ask: (work: Effect.Effect<unknown, unknown>, over: Partial<typeof request> = {}) =>
        Effect.flatMap(
          answer({ ...request, ...over }, () => work, shape),
          (response) => Effect.promise(() => response.text())
        )
    }
  })

const claims = (sql: SqlClient.SqlClient) => sql`SELECT node, body_hash FROM idempotency_claims`
const isClaimed = (sql: SqlClient.SqlClient) => eventually(claims(sql), ({ length }) => length === 1)

describe.runIf(inject("postgres") !== undefined)("requests with one Idempotency-Key at several nodes", () => {
  it.scopedLive("share one execution, in every round", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const nodes = yield* Effect.forEach([1, 2, 3], () => start(url), { concurrency: "unbounded" })
      for (let round = 0; round < 20; round++) {
        let begun = 0
        const work = Effect.delay(
          Effect.sync(() => ++begun),
          "2 millis"
        )
        const twins = nodes.flatMap(({ ask }) => Array.from({ length: 10 }, () => ask(work, { key: `k${round}` })))
        expect(new Set(yield* Effect.all(twins, { concurrency: "unbounded" }))).toEqual(new Set(["1"]))
        expect(begun).toBe(1)
      }
      expect(yield* claims(nodes[0]!.sql)).toEqual([])
    })
  )

  it.scopedLive("are refused with another body, and run again if the first fails or leaves", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [one, other] = yield* Effect.all([start(url), start(url)])
      for (const ending of ["fails", "leaves"] as const) {
        const gate = yield* Deferred.make<void>()
        const failing = Effect.zipRight(
          Deferred.await(gate),
          Effect.fail(new RateLimited({ message: "no", retryAfterSeconds: 1 }))
        )
        const first = yield* Effect.fork(Effect.exit(one.ask(failing, { key: ending })))
        yield* isClaimed(one.sql)
        const refused = yield* Effect.flip(other.ask(Effect.dieMessage("begun"), { key: ending, bodyHash: "another" }))
        expect(refused).toMatchObject({ _tag: "Conflict" })
        const second = yield* Effect.fork(other.ask(Effect.succeed("second"), { key: ending }))
        yield* ending === "fails" ? Deferred.succeed(gate, undefined) : Fiber.interrupt(first)
        expect(yield* Fiber.join(second)).toBe('"second"')
        expect(yield* one.ask(Effect.dieMessage("begun"), { key: ending })).toBe('"second"')
      }
    })
  )

  it.scopedLive("are taken over when their node is declared dead, which then keeps nothing", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [paused, other] = yield* Effect.all([start(url), start(url)])
      const gate = yield* Deferred.make<void>()
      const late = yield* Effect.fork(paused.ask(Effect.as(Deferred.await(gate), "late")))
      yield* isClaimed(paused.sql)
      const second = yield* Effect.fork(other.ask(Effect.succeed("second")))
      yield* other.sql`UPDATE nodes SET good_until = 0 WHERE id = ${paused.node.id()}`
      yield* eventually(
        Effect.zipRight(
          other.node.reap,
          Effect.suspend(() => other.sql`SELECT 1 FROM nodes`)
        ),
        ({ length }) => length === 1
      )
      expect(yield* Fiber.join(second)).toBe('"second"')
      yield* Deferred.succeed(gate, undefined)
      // The late answer is still sent: it was generated and paid for.
      expect(yield* Fiber.join(late)).toBe('"late"')
      expect(yield* paused.ask(Effect.dieMessage("begun"))).toBe('"second"')
      // Its next requests are answered under its new id.
      expect(yield* paused.ask(Effect.succeed("next"), { key: "next" })).toBe('"next"')
      expect(yield* claims(other.sql)).toEqual([])
    })
  )

  it.scopedLive(
    "are not kept by a node that was declared dead before it answered, even if no other node answered",
    () =>
      Effect.gen(function* () {
        const url = yield* newUrl
        const [paused, other] = yield* Effect.all([start(url), start(url)])
        const gate = yield* Deferred.make<void>()
        const late = yield* Effect.fork(paused.ask(Effect.as(Deferred.await(gate), "late")))
        yield* isClaimed(paused.sql)
        yield* other.sql`UPDATE nodes SET good_until = 0 WHERE id = ${paused.node.id()}`
        yield* eventually(Effect.zipRight(other.node.reap, claims(other.sql)), ({ length }) => length === 0)
        yield* Deferred.succeed(gate, undefined)
        expect(yield* Fiber.join(late)).toBe('"late"')
        expect(yield* other.ask(Effect.succeed("anew"))).toBe('"anew"')
      })
  )
})
