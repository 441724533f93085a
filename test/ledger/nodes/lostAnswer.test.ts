import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { AccountId, Caller } from "../../../src/contract/callers/Caller.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { fromUsd } from "../../../src/ledger/Price.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import { engines } from "../../sql/engines.ts"
import { silenceable } from "../../sql/silentServer.ts"
import { booksAt } from "./books.ts"

const dollar = 1_000_000_000
const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key of team")
const price = fromUsd({ output: 1_000_000 })
const postgres = engines.find(({ name }) => name === "postgres")

/** An account of so many dollars or without a balance, and a ledger whose way to the database may lose what comes back. */
const world = ({ dollars }: { readonly dollars?: number }) =>
  Effect.gen(function* () {
    const url = postgres === undefined ? yield* Effect.dieMessage("there is no Postgres") : yield* postgres.url
    const books = yield* booksAt(url)
    yield* Effect.promise(() => books.account("team", dollars))
    const port = Number(URL.parse(url)?.port)
    const way = yield* Effect.acquireRelease(
      Effect.promise(() => silenceable(port)),
      ({ close }) => Effect.sync(close)
    )
    const database = databaseAt({ url: url.replace(`:${port}/`, `:${way.port}/`), exclusive: false })
    const ledger = yield* Effect.map(Layer.build(Layer.provide(Ledger.Default, database)), (built) =>
      Effect.provide(Ledger, built)
    ).pipe(Effect.flatten)
    const open = (dollars: number) =>
      ledger.open({
        caller,
        requestId: "r",
        model: "m",
        upstream: "u",
        price,
        mostNanoUsd: () => dollars * dollar,
        mostTokens: () => 0
      })
    return { books, way, ledger, open }
  })

const tokens = (outputTokens: number) => ({ ...noUsage, outputTokens })

describe.runIf(inject("postgres") !== undefined)("an answer of the database that is lost", () => {
  it.scopedLive("leaves what was asked for held once", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world({ dollars: 10 })
      yield* open(1)
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const asked = yield* Effect.fork(open(3))
      yield* lost
      yield* books.until("team", ({ held }) => held === 4 * dollar)
      way.speakAgain()
      yield* asked
      expect(yield* books.of("team")).toMatchObject({ held: 4 * dollar })
      expect((yield* Effect.flip(open(7)))._tag).toBe("InsufficientBalance")
      yield* open(6)
    })
  )

  it.scopedLive("leaves what was used counted once, and what was held given back once", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world({ dollars: 10 })
      const [first, second] = yield* Effect.all([open(2), open(2), open(1)])
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const paid = first.settle(tokens(2), "finished", false)
      yield* lost
      yield* books.until("team", ({ rows }) => rows === 1)
      // It is stored although no caller waits for it.
      void second.settle(tokens(1), "hang-up", false)
      way.speakAgain()
      yield* Effect.promise(() => paid ?? Promise.resolve())
      yield* books.until("team", ({ rows }) => rows === 2)
      expect(yield* books.of("team")).toMatchObject({ settled: 3 * dollar, held: dollar, rows: 2 })
    })
  )

  it.scopedLive("for so long that who asked was told no: what was held for him is given back", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world({ dollars: 10 })
      yield* open(1)
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const asked = yield* Effect.fork(Effect.exit(open(3)))
      yield* lost
      yield* books.until("team", ({ held }) => held === 4 * dollar)
      const stop = way.refuse()
      expect(Exit.isFailure(yield* asked.await.pipe(Effect.flatten))).toBe(true)
      stop()
      yield* books.until("team", ({ held }) => held === dollar)
      expect(yield* books.of("team")).toMatchObject({ held: dollar })
    })
  )

  it.scopedLive("for so long that who paid was told that it is not stored: it is counted once all the same", () =>
    Effect.gen(function* () {
      const { books, ledger, open, way } = yield* world({ dollars: 10 })
      const [first, second] = yield* Effect.all([open(2), open(2)])
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const paid = first.settle(tokens(2), "finished", false) ?? Promise.resolve()
      yield* lost
      yield* books.until("team", ({ rows }) => rows === 1)
      const stop = way.refuse()
      yield* Effect.promise(() => expect(paid).rejects.toThrow("could not be stored"))
      void second.settle(tokens(1), "hang-up", false)
      stop()
      yield* books.until("team", ({ rows }) => rows === 2)
      yield* ledger.flush
      expect(yield* books.of("team")).toMatchObject({ settled: 3 * dollar, held: 0, rows: 2 })
    })
  )

  it.scopedLive("leaves what was used by an account without a balance counted once, however long it is lost", () =>
    Effect.gen(function* () {
      const { books, ledger, open, way } = yield* world({})
      const [before, first, second, third] = yield* Effect.all([open(1), open(2), open(2), open(1)])
      yield* Effect.promise(() => before.settle(tokens(1), "finished", false) ?? Promise.resolve())
      const locked = "SELECT 1 FROM node_batches WHERE lane = 1 FOR UPDATE"
      const lost = yield* books.whileLocked("team", way.swallowAnswers, locked)
      const paid = first.settle(tokens(2), "finished", false)
      yield* lost
      yield* books.until("team", ({ rows }) => rows === 2)
      way.speakAgain()
      yield* Effect.promise(() => paid ?? Promise.resolve())
      const lostForLong = yield* books.whileLocked("team", way.swallowAnswers, locked)
      const inDoubt = second.settle(tokens(1), "finished", false) ?? Promise.resolve()
      yield* lostForLong
      yield* books.until("team", ({ rows }) => rows === 3)
      const stop = way.refuse()
      yield* Effect.promise(() => expect(inDoubt).rejects.toThrow("could not be stored"))
      stop()
      // Nothing follows it, and the doubt ends all the same.
      yield* ledger.flush
      void third.settle(tokens(1), "hang-up", false)
      yield* books.until("team", ({ rows }) => rows === 4)
      yield* ledger.flush
      yield* books.until("team", ({ settled }) => settled === 5 * dollar)
      expect(yield* books.of("team")).toMatchObject({ held: 0, rows: 4 })
    })
  )
})

describe.runIf(inject("postgres") !== undefined)("what an account without a balance has used", () => {
  it.scopedLive("is stored while another transaction has its row, and added up later", () =>
    Effect.gen(function* () {
      const { books, ledger, open } = yield* world({})
      const [first, second] = yield* Effect.all([open(1), open(1)])
      const { promise: stored, resolve } = Promise.withResolvers<void>()
      // What adds up waits for the account's row, which is held until both rows are there.
      const summing = yield* Effect.fork(yield* books.whileLocked("team", () => stored))
      yield* Effect.promise(() => first.settle(tokens(1), "finished", false) ?? Promise.resolve())
      yield* Effect.promise(() => second.settle(tokens(1), "finished", false) ?? Promise.resolve())
      expect(yield* books.of("team")).toMatchObject({ settled: 0, rows: 2 })
      resolve()
      yield* summing.await
      expect((yield* ledger.balance(team)).settled).toBe(2 * dollar)
      expect(yield* books.of("team")).toMatchObject({ settled: 2 * dollar, rows: 2 })
    })
  )

  it.scopedLive("is passed over where no sum takes it, and does not keep others from being added up", () =>
    Effect.gen(function* () {
      const { books, ledger, open } = yield* world({})
      yield* Effect.promise(() => books.account("other", undefined))
      const mine = yield* Effect.all([open(5_000_000), open(5_000_000), open(1)])
      const others = yield* ledger.open({
        caller: Caller.unrestricted("other", "key of other"),
        requestId: "r",
        model: "m",
        upstream: "u",
        price,
        mostNanoUsd: () => dollar,
        mostTokens: () => 0
      })
      for (const [n, charge] of [...mine, others].entries()) {
        const used = tokens(n < 2 ? 5_000_000 : 1)
        yield* Effect.promise(() => charge.settle(used, "finished", false) ?? Promise.resolve())
      }
      // No account may have settled more than nine million dollars.
      expect((yield* ledger.balance(AccountId.make("other"))).settled).toBe(dollar)
      expect((yield* ledger.balance(team)).settled).toBe(5_000_001 * dollar)
      expect(yield* books.of("team")).toMatchObject({ rows: 3 })
    })
  )
})
