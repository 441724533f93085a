import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { AccountId, KeyId, unrestricted } from "../../../src/contract/Caller.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { fromUsd } from "../../../src/ledger/Price.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import { engines } from "../../sql/engines.ts"
import { silenceable } from "../../sql/silentServer.ts"
import { booksAt } from "./books.ts"

const dollar = 1_000_000_000
const team = AccountId.make("team")
const caller = unrestricted(team, KeyId.make("key of team"))
const price = fromUsd({ output: 1_000_000 })
const postgres = engines.find(({ name }) => name === "postgres")

/** An account of ten dollars, and a ledger whose way to the database may lose what comes back. */
const world = Effect.gen(function* () {
  const url = postgres === undefined ? yield* Effect.dieMessage("there is no Postgres") : yield* postgres.url
  const books = yield* booksAt(url)
  yield* Effect.promise(() => books.account("team", 10))
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
    ledger.open({ caller, requestId: "r", model: "m", upstream: "u", price, mostNanoUsd: () => dollars * dollar })
  return { books, way, ledger, open }
})

const tokens = (outputTokens: number) => ({ ...noUsage, outputTokens })

describe.runIf(inject("postgres") !== undefined)("an answer of the database that is lost", () => {
  it.scopedLive("leaves what was asked for held once", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world
      yield* open(1)
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const asked = yield* Effect.fork(open(3))
      yield* lost
      yield* books.until("team", ({ held }) => held === 4 * dollar)
      way.speakAgain()
      yield* asked
      expect(yield* books.of("team")).toMatchObject({ held: 4 * dollar, keyHeld: 4 * dollar })
      expect((yield* Effect.flip(open(7)))._tag).toBe("InsufficientBalance")
      yield* open(6)
    })
  )

  it.scopedLive("leaves what was used counted once, and what was held given back once", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world
      const [first, second] = yield* Effect.all([open(2), open(2), open(1)])
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const paid = first.settle(tokens(2), "finished", false)
      yield* lost
      yield* books.until("team", ({ rows }) => rows === 1)
      // Nobody waits for it, and it is stored all the same.
      void second.settle(tokens(1), "hang-up", false)
      way.speakAgain()
      yield* Effect.promise(() => paid ?? Promise.resolve())
      yield* books.until("team", ({ rows }) => rows === 2)
      expect(yield* books.of("team")).toMatchObject({ settled: 3 * dollar, held: dollar, rows: 2, spent: 3 * dollar })
    })
  )

  it.scopedLive("for so long that who asked was told no: what was held for him is given back", () =>
    Effect.gen(function* () {
      const { books, open, way } = yield* world
      yield* open(1)
      const lost = yield* books.whileLocked("team", way.swallowAnswers)
      const asked = yield* Effect.fork(Effect.exit(open(3)))
      yield* lost
      yield* books.until("team", ({ held }) => held === 4 * dollar)
      const stop = way.refuse()
      expect(Exit.isFailure(yield* asked.await.pipe(Effect.flatten))).toBe(true)
      stop()
      yield* books.until("team", ({ held }) => held === dollar)
      expect(yield* books.of("team")).toMatchObject({ keyHeld: dollar })
    })
  )

  it.scopedLive("for so long that who paid was told that it is not stored: it is counted once all the same", () =>
    Effect.gen(function* () {
      const { books, ledger, open, way } = yield* world
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
      expect(yield* books.of("team")).toMatchObject({ settled: 3 * dollar, held: 0, rows: 2, spent: 3 * dollar })
    })
  )
})
