import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { inputItemId, newResponseId, outputItemId } from "../../src/responses/ids.ts"
import type { StoredItem } from "../../src/responses/InputItem.ts"
import { ResponseExpiry } from "../../src/responses/ResponseExpiry.ts"
import { ResponseRetention } from "../../src/responses/store/ResponseRetention.ts"
import { ResponseStore } from "../../src/responses/store/ResponseStore.ts"
import type { StoredResponse } from "../../src/responses/store/ResponseStore.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { database, databaseNamed, describeOnEach } from "../sql/engines.ts"
import { encoding, run } from "./encoding.ts"
import { adjust } from "../sql/clock.ts"

const storeOn = (on: ReturnType<typeof database>) =>
  ResponseStore.Default.pipe(Layer.provideMerge(Commits.Default), Layer.provideMerge(on))

const mine = { account: AccountId.make("mine"), key: KeyId.make("key_mine") }
const another = { account: AccountId.make("another"), key: KeyId.make("key_another") }

const text = (text: string): ReadonlyArray<GenerationEvent> => [{ type: "text-delta", text }]
const stop: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }

const answer = (
  events: ReadonlyArray<GenerationEvent>,
  options: { readonly input?: ReadonlyArray<StoredItem>; readonly previous?: string } = {}
): StoredResponse => {
  const id = newResponseId()
  const include = { searchSources: false, encryptedReasoning: false }
  const { state } = run(events, {
    ...encoding,
    include,
    response: { ...encoding.response, id, created_at: 0, previous_response_id: options.previous ?? null },
    itemId: (prefix, index) => outputItemId(id, prefix, index)
  })
  return {
    response: state.response,
    output: state.output.toArray(),
    input: options.input ?? [{ role: "user", content: "hi" }],
    include
  }
}

const save = (store: ResponseStore, stored: StoredResponse) => Effect.promise(() => store.save(mine, stored))

const message = (text: string) => expect.objectContaining({ content: [expect.objectContaining({ text })] })

describeOnEach("ResponseStore", () => {
  it.effect("reads back what was saved, for its account alone", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const stored = answer([...text("hello"), stop])
      yield* save(store, stored)
      expect(yield* store.find(mine, stored.response.id)).toEqual(stored)
      const foreign = yield* Effect.flip(store.find(another, stored.response.id))
      expect(foreign.message).toBe(`Response with id '${stored.response.id}' not found.`)
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("removes for its account alone", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const stored = answer([...text("hello"), stop])
      yield* save(store, stored)
      expect(Exit.isFailure(yield* Effect.exit(store.remove(another, stored.response.id)))).toBe(true)
      yield* store.remove(mine, stored.response.id)
      expect(Exit.isFailure(yield* Effect.exit(store.find(mine, stored.response.id)))).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(store.remove(mine, stored.response.id)))).toBe(true)
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("tells the whole chain, oldest first", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const first = answer([...text("one"), stop])
      const second = answer([...text("two"), stop], {
        input: [{ role: "user", content: "more" }],
        previous: first.response.id
      })
      yield* save(store, first)
      yield* save(store, second)
      expect((yield* store.history(mine, second.response.id)).items).toEqual([
        { role: "user", content: "hi" },
        message("one"),
        { role: "user", content: "more" },
        message("two")
      ])
      const gone = yield* Effect.zipRight(
        store.remove(mine, first.response.id),
        Effect.flip(store.history(mine, second.response.id))
      )
      expect(gone.message).toBe(`Previous response with id '${first.response.id}' not found.`)
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("continues neither an unknown, nor another account's, nor a failed response", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const failed = answer([...text("on"), { type: "failed", failure: new UpstreamFailed({}) }])
      const fine = answer([...text("fine"), stop])
      yield* save(store, failed)
      yield* save(store, fine)
      for (const [account, id] of [
        [mine, "resp_x"],
        [another, fine.response.id],
        [mine, failed.response.id]
      ] as const) {
        const refused = yield* Effect.flip(store.history(account, id))
        expect(refused).toMatchObject({
          param: "previous_response_id",
          message: `Previous response with id '${id}' not found.`
        })
      }
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("continues an incomplete response without the call that was cut off", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const cut = answer([
        ...text("half"),
        { type: "tool-call-start", callId: "c", name: "f", kind: "function" },
        { type: "tool-call-delta", callId: "c", text: '{"ci' },
        { type: "finished", reason: "max-tokens", stopSequence: null }
      ])
      expect(cut.response.output).toHaveLength(2)
      yield* save(store, cut)
      expect((yield* store.history(mine, cut.response.id)).items).toEqual([
        { role: "user", content: "hi" },
        message("half")
      ])
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("reads no chain that is longer than a body may be, nor so much behind references", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const long: ReadonlyArray<StoredItem> = [{ role: "user", content: "x".repeat(17 * 1_048_576) }]
      const first = answer([...text("one"), stop], { input: long })
      const second = answer([...text("two"), stop], { input: long, previous: first.response.id })
      yield* save(store, first)
      yield* save(store, second)
      expect((yield* store.history(mine, first.response.id)).items).toHaveLength(2)
      const refused = yield* Effect.flip(store.history(mine, second.response.id))
      expect(refused.message).toMatch(/^previous_response_id: the conversation that it continues is longer than 32 MiB/)

      const asked = ({ response }: StoredResponse) => `${response.id.replace("resp_", "msg_")}i0`
      const answered = ({ output }: StoredResponse) => output[0]?.id ?? ""
      const referring = (...ids: ReadonlyArray<string>) =>
        store.resolve(
          mine,
          ids.map((id) => ({ type: "item_reference", id }))
        )
      // Only what is referred to is read.
      expect(yield* referring(asked(first), answered(second))).toMatchObject([long[0], { role: "assistant" }])
      expect((yield* Effect.flip(referring(asked(first), asked(second)))).message).toMatch(/longer than 32 MiB/)
      const twice = yield* Effect.flip(referring(answered(first), answered(first)))
      expect(twice.message).toMatch(/^Duplicate item found/)
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("looks up any number of references", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const save600 = Effect.forEach(
        Array.from({ length: 600 }),
        () => {
          const one = answer([...text("one"), stop])
          return Effect.as(save(store, one), one.output[0]?.id ?? "")
        },
        { concurrency: "unbounded" }
      )
      const stored = yield* save600
      const references = (ids: ReadonlyArray<string>): ReadonlyArray<StoredItem> =>
        ids.map((id) => ({ type: "item_reference", id }))
      expect(yield* store.resolve(mine, references(stored))).toMatchObject(stored.map((id) => ({ id })))
      const unknown = Array.from({ length: 40_000 }, (_, index) => `msg_${index}`)
      const missing = yield* Effect.flip(store.resolve(mine, references([...stored, ...unknown])))
      expect(missing.message).toMatch(/^Item with id 'msg_0' not found/)
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("resolves references to items of output and input, with what only a replay may see", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const stored = answer([
        { type: "reasoning-delta", text: "hm" },
        { type: "reasoning-end", signature: "sig" },
        ...text("hello"),
        stop
      ])
      yield* save(store, stored)
      const [reasoning, hello] = stored.response.output
      expect(reasoning).not.toHaveProperty("encrypted_content")
      const reference = (id: string): StoredItem => ({ type: "item_reference", id })
      const asked = `msg_${stored.response.id.slice("resp_".length)}i0`
      const input = [
        reference(asked),
        reference(reasoning!.id),
        reference(hello!.id),
        { role: "user", content: "?" } as const
      ]
      const resolved = yield* store.resolve(mine, input)
      expect(resolved).toEqual([
        { role: "user", content: "hi" },
        expect.objectContaining({ type: "reasoning", encrypted_content: expect.any(String) }),
        message("hello"),
        { role: "user", content: "?" }
      ])
      for (const [account, id] of [
        [another, hello!.id],
        [mine, `${hello!.id}9`],
        [mine, "msg_1"]
      ] as const) {
        const unknown = yield* Effect.flip(store.resolve(account, [reference(id)]))
        expect(unknown).toMatchObject({ _tag: "NotFound", param: "input" })
        expect(unknown.message).toContain(`Item with id '${id}' not found.`)
      }
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("has the input of a background response outside the row that changes as it goes on", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const sql = yield* SqlClient.SqlClient
      const made = answer([...text("hello"), stop])
      const begun = { ...made, output: [], response: { ...made.response, status: "queued" as const } }
      const { id } = made.response
      yield* store.queued(mine, begun)
      expect(yield* store.find(mine, id)).toEqual({ ...begun, response: { ...begun.response, output: [] } })
      yield* store.began(id)
      yield* store.ended(mine.account, made)
      expect(yield* sql`SELECT input FROM responses`).toEqual([{ input: "[]" }])
      expect(yield* store.find(mine, id)).toEqual(made)
      const asked = { role: "user", content: "hi" }
      expect((yield* store.history(mine, id)).items).toEqual([asked, message("hello")])
      const reference = { type: "item_reference" as const, id: inputItemId(id, made.input[0]!, 0) }
      expect(yield* store.resolve(mine, [reference])).toEqual([asked])
      yield* store.remove(mine, id)
      expect(yield* sql`SELECT input FROM response_inputs`).toEqual([])
    }).pipe(Effect.provide(storeOn(database())))
  )

  it.effect("survives its process", () =>
    Effect.gen(function* () {
      const file = Layer.unwrapEffect(Effect.map(databaseNamed("survives"), (url) => layer({ url, exclusive: true })))
      const stored = answer([...text("hello"), stop])
      yield* Effect.provide(
        Effect.flatMap(ResponseStore, (store) => save(store, stored)),
        Layer.fresh(storeOn(file))
      )
      const found = yield* Effect.provide(
        Effect.flatMap(ResponseStore, (store) => store.find(mine, stored.response.id)),
        Layer.fresh(storeOn(file))
      )
      expect(found).toEqual(stored)
    })
  )
})

describeOnEach("ResponseExpiry", () => {
  it.effect("removes in batches what is older than the retention, which is not found before that either", () =>
    Effect.gen(function* () {
      const store = yield* ResponseStore
      const sql = yield* SqlClient.SqlClient
      const count = Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM responses`, ([row]) => row?.n)
      const many = Array.from({ length: 120 }, () => answer([...text("x"), stop]))
      yield* Effect.forEach(many, (stored) => save(store, stored), { concurrency: "unbounded" })
      yield* adjust("23 hours")
      const fiber = yield* Effect.forkScoped(Layer.launch(ResponseExpiry))
      yield* Effect.yieldNow()
      yield* adjust("59 minutes")
      expect(yield* count).toBe(120)
      yield* store.find(mine, many[0]!.response.id)
      yield* adjust("1 minute")
      expect(Exit.isFailure(yield* Effect.exit(store.find(mine, many[0]!.response.id)))).toBe(true)
      yield* adjust("2 minutes")
      expect(yield* count).toBe(0)
      yield* Fiber.interrupt(fiber)
    }).pipe(
      Effect.scoped,
      Effect.provide(storeOn(database()).pipe(Layer.provide(Layer.succeed(ResponseRetention, Duration.days(1)))))
    )
  )
})
