import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { isRefused } from "../../src/sql/isRefused.ts"
import { preparedAhead } from "../../src/sql/prepared.ts"
import { makeTogether } from "../../src/sql/postgres/together.ts"
import type { Sent } from "../../src/sql/postgres/together.ts"
import { database, describeOnEach } from "./engines.ts"

const live = Commits.Default.pipe(Layer.provideMerge(database()))

describeOnEach("writes of the same shape that come together", () => {
  it.effect("are all stored but those that are refused, which fail alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { write } = yield* Commits
      const account = preparedAhead(sql, sql`INSERT INTO accounts ${sql.insert({ id: "", created_at: 0 })}`)
      const grant = preparedAhead(
        sql,
        sql`INSERT INTO grants ${sql.insert({ at: 0, account_id: "", nano_usd: 0, note: "" })}`
      )
      // Every tenth is there already, or can't be money, or has a text that can't be kept.
      const wrong = (n: number) => n % 10 === 3
      const id = (n: number) => (wrong(n) && n % 20 === 3 ? "account-0" : `account-${n}`)
      const amount = (n: number) => (wrong(n) && n % 20 === 13 ? Number.MAX_SAFE_INTEGER + 1 : n)
      const made = (n: number) => write(Effect.zipRight(account([id(n), n]), grant([n, id(n), amount(n), `of ${n}`])))
      const ends = yield* Effect.all(
        Array.from({ length: 300 }, (_, n) => Effect.either(made(n))),
        { concurrency: "unbounded" }
      )
      ends.forEach((end, n) => {
        expect([n, Either.isLeft(end)]).toEqual([n, wrong(n)])
        if (Either.isLeft(end)) expect(isRefused(end.left)).toBe(true)
      })
      const stored = yield* sql<{ id: string; at: number; note: string; nano: number }>`
        SELECT accounts.id, created_at AS at, note, nano_usd AS nano FROM accounts JOIN grants ON account_id = accounts.id
        ORDER BY created_at`
      const right = Array.from({ length: 300 }, (_, n) => n).filter((n) => !wrong(n))
      expect(stored).toEqual(right.map((n) => ({ id: `account-${n}`, at: n, note: `of ${n}`, nano: n })))
    }).pipe(Effect.provide(live))
  )
})

describe("statements of several writes", () => {
  /** Sends nothing before it is told to. */
  const world = Effect.gen(function* () {
    const go = yield* Deferred.make<void>()
    const sent: Array<Sent> = []
    const together = makeTogether((one) =>
      Effect.suspend(() => {
        sent.push(one)
        const refusal = new SqlError({ cause: { code: "23505" } })
        return Effect.zipRight(Deferred.await(go), one.values.includes("bad") ? Effect.fail(refusal) : Effect.void)
      })
    )
    return { go, sent, together }
  })
  const texts = ['INSERT INTO a ("x","y") VALUES ($1,$2)', "INSERT INTO b (z) VALUES ($1)"]
  const write = (n: number | string) => texts.map((text, part) => ({ text, values: part === 0 ? [n, "y"] : [`z${n}`] }))

  /** What became of writes that all came before the server said anything. */
  const endsOf = (writes: ReadonlyArray<ReadonlyArray<Sent>>) =>
    Effect.gen(function* () {
      const { go, sent, together } = yield* world
      const begun = writes.map((one) => Effect.fork(Effect.either(together(one))))
      const fibers = yield* Effect.all(begun)
      for (let turn = 0; turn < writes.length; turn++) yield* Effect.yieldNow()
      yield* Deferred.succeed(go, undefined)
      return { ends: yield* Fiber.join(Fiber.all(fibers)), sent }
    })

  it.effect("are two of one write each at first, then of as many as wait", () =>
    Effect.gen(function* () {
      const { ends, sent } = yield* endsOf(Array.from({ length: 9 }, (_, n) => write(n)))
      expect(ends.every(Either.isRight)).toBe(true)
      expect(sent.map(({ values }) => values.length / 3)).toEqual([1, 1, 4, 2, 1])
      expect(sent[0]).toEqual({
        text: 'WITH part_0 AS (INSERT INTO a ("x","y") VALUES ($1,$2)) INSERT INTO b (z) VALUES ($3)',
        values: [0, "y", "z0"]
      })
      expect(sent[3]).toEqual({
        text: 'WITH part_0 AS (INSERT INTO a ("x","y") VALUES ($1,$2), ($3,$4)) INSERT INTO b (z) VALUES ($5), ($6)',
        values: [6, "y", 7, "y", "z6", "z7"]
      })
    })
  )

  it.effect("are sent again one by one where the server refuses one of them", () =>
    Effect.gen(function* () {
      const { ends, sent } = yield* endsOf([write(0), write(1), write(2), write("bad"), write(4), write(5)])
      expect(ends.map(Either.isRight)).toEqual([true, true, true, false, true, true])
      expect(sent.map(({ values }) => values.length / 3)).toEqual([1, 1, 4, 1, 1, 1, 1])
    })
  )

  it.live("wait for no server that says nothing, and go their own way once it fails", () =>
    Effect.gen(function* () {
      const silent = yield* Deferred.make<void, SqlError>()
      const sent: Array<number> = []
      const together = makeTogether(({ values }) =>
        Effect.suspend(() => (sent.push(values.length / 3) <= 2 ? Deferred.await(silent) : Effect.void))
      )
      const first = yield* Effect.fork(Effect.either(together(write(0))))
      const second = yield* Effect.fork(Effect.either(together(write(1))))
      yield* Effect.yieldNow()
      const others = yield* Effect.forEach([2, 3, 4], (n) => Effect.fork(together(write(n))))
      yield* Fiber.join(Fiber.all(others))
      expect(sent).toEqual([1, 1, 1, 1, 1])
      const last = yield* Effect.fork(together(write(5)))
      yield* Effect.yieldNow()
      yield* Deferred.fail(silent, new SqlError({ cause: { code: "57P01" } }))
      yield* Fiber.join(last)
      expect([yield* Fiber.join(first), yield* Fiber.join(second)].map(Either.isLeft)).toEqual([true, true])
      // Both have gone: the next two are under way at once again.
      yield* Effect.all([together(write(6)), together(write(7))], { concurrency: "unbounded" })
      expect(sent).toEqual(Array.from({ length: 8 }, () => 1))
    })
  )

  it.effect("are of one write where it is more than rows", () =>
    Effect.gen(function* () {
      const removal = [{ text: "DELETE FROM a WHERE x = $1", values: [1] }, ...write(2)]
      const { sent } = yield* endsOf(Array.from({ length: 5 }, () => removal))
      expect(sent.map(({ values }) => values.length)).toEqual([4, 4, 4, 4, 4])
      expect(sent[0]?.text).toBe(
        `WITH part_0 AS (DELETE FROM a WHERE x = $1), part_1 AS (INSERT INTO a ("x","y") VALUES ($2,$3)) INSERT INTO b (z) VALUES ($4)`
      )
    })
  )
})
