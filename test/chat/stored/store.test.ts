import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer } from "effect"
import OpenAI from "openai"
import { CompletionExpiry } from "../../../src/chat/stored/CompletionExpiry.ts"
import { CompletionRetention, StoredCompletions } from "../../../src/chat/store/StoredCompletions.ts"
import type { CompletionQuery } from "../../../src/chat/store/StoredCompletions.ts"
import { AccountId, KeyId } from "../../../src/contract/callers/Caller.ts"
import { startGateway } from "../../gatewayHere.ts"
import { adjust } from "../../sql/clock.ts"
import { database, describeOnEach, gatewayEnv } from "../../sql/engines.ts"

const mine = { account: AccountId.make("mine"), key: KeyId.make("key_mine") }
const completion = { object: "chat.completion", choices: [] }
const made = (id: string, metadata: Readonly<Record<string, string>> = {}) => ({
  id,
  model: "m",
  metadata,
  completion,
  messages: []
})
const query: CompletionQuery = { metadata: {}, limit: 20, order: "asc" }

const storeOn = (on: ReturnType<typeof database>) => StoredCompletions.Default.pipe(Layer.provideMerge(on))

describeOnEach("StoredCompletions", ({ name }) => {
  it.effect("finds the few of many that a filter names", () =>
    Effect.gen(function* () {
      const store = yield* StoredCompletions
      const saved = Array.from({ length: 1_200 }, (_, index) => {
        const id = `c${String(index).padStart(4, "0")}`
        return Effect.promise(() => store.save(mine, made(id, { part: index % 500 === 7 ? "rare" : "usual" })))
      })
      yield* Effect.all(saved, { concurrency: "unbounded" })
      const ids = (asked: Partial<CompletionQuery>) =>
        Effect.map(store.list(mine, { ...query, ...asked }), ({ completions, hasMore }) => [
          ...completions.map(({ id }) => id),
          hasMore
        ])
      const metadata = { part: "rare" }
      expect(yield* ids({ metadata })).toEqual(["c0007", "c0507", "c1007", false])
      expect(yield* ids({ metadata, limit: 2, order: "desc" })).toEqual(["c1007", "c0507", true])
      expect(yield* ids({ metadata, after: "c0507" })).toEqual(["c1007", false])
      expect(yield* ids({ metadata: { part: "none" } })).toEqual([false])
      expect(yield* ids({ model: "other" })).toEqual([false])
      expect(yield* ids({ limit: 1, order: "desc", model: "m" })).toEqual(["c1199", true])
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("ends a page before it is too long", () =>
    Effect.gen(function* () {
      const store = yield* StoredCompletions
      const long = { ...completion, filler: "x".repeat(9 * 1_048_576) }
      for (const id of ["c1", "c2", "c3"]) {
        yield* Effect.promise(() => store.save(mine, { ...made(id), completion: long }))
      }
      const first = yield* store.list(mine, query)
      expect([first.completions.map(({ id }) => id), first.hasMore]).toEqual([["c1"], true])
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("removes what is older than the retention, which is not found before that either", () =>
    Effect.gen(function* () {
      const store = yield* StoredCompletions
      const sql = yield* SqlClient.SqlClient
      const count = Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM chat_completions`, ([row]) =>
        Number(row?.n)
      )
      for (let index = 0; index < 60; index++) yield* Effect.promise(() => store.save(mine, made(`c${index}`)))
      yield* adjust("23 hours")
      const fiber = yield* Effect.forkScoped(Layer.launch(CompletionExpiry))
      yield* Effect.yieldNow()
      yield* adjust("59 minutes")
      expect(yield* count).toBe(60)
      yield* adjust("1 minute")
      expect(Exit.isFailure(yield* Effect.exit(store.find(mine, "c0")))).toBe(true)
      expect((yield* store.list(mine, query)).completions).toEqual([])
      yield* adjust("2 minutes")
      expect(yield* count).toBe(0)
      yield* Fiber.interrupt(fiber)
    }).pipe(
      Effect.scoped,
      Effect.provide(storeOn(database()).pipe(Layer.provide(Layer.succeed(CompletionRetention, Duration.days(1)))))
    )
  )

  it.skipIf(name === "sqlite")("is read on another node at once", async () => {
    const env = { ...(await gatewayEnv("stored_completions")), GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
    const one = await startGateway({ env })
    const other = await startGateway({ env })
    try {
      const clientOf = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: one.key, maxRetries: 0 })
      const [first, second] = [clientOf(one.url), clientOf(other.url)]
      const body = { model: "sandbox-text", messages: [{ role: "user" as const, content: "Hi" }], store: true }
      for (const stream of [false, true]) {
        const answer = await first.chat.completions.create({ ...body, stream })
        let id = "id" in answer ? answer.id : ""
        if (!("id" in answer)) for await (const chunk of answer) id = chunk.id
        expect((await second.chat.completions.retrieve(id)).id).toBe(id)
        await second.chat.completions.update(id, { metadata: { a: "b" } })
        expect((await first.chat.completions.retrieve(id)).metadata).toEqual({ a: "b" })
      }
    } finally {
      await other.dispose()
      await one.dispose()
    }
  })
})
