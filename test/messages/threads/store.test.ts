import { expect, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { AccountId, KeyId } from "../../../src/contract/callers/Caller.ts"
import type { Maker } from "../../../src/contract/callers/Own.ts"
import { ThreadExpiry } from "../../../src/messages/threads/ThreadExpiry.ts"
import type { ThreadTurn } from "../../../src/messages/threads/store/TurnStore.ts"
import { ThreadRetention, TurnStore } from "../../../src/messages/threads/store/TurnStore.ts"
import { Commits } from "../../../src/sql/Commits.ts"
import { database, describeOnEach } from "../../sql/engines.ts"
import { adjust } from "../../sql/clock.ts"

const store = TurnStore.Default.pipe(
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(database({ exclusive: false })),
  Layer.provide(Layer.succeed(ThreadRetention, Duration.days(3)))
)

const mine = { account: AccountId.make("mine"), key: KeyId.make("key_mine") }
const another = { account: AccountId.make("another"), key: KeyId.make("key_another") }
/** A person of the account. */
const person = (id: string) => ({ ...mine, key: KeyId.make(`key_${id}`), person: { id, keys: [`key_${id}`] } })

const turn = (id: string, previousId?: string): ThreadTurn => ({
  id,
  previousId,
  setup: previousId === undefined ? { system: "Be brief." } : {},
  messages: [{ role: "user", content: `to ${id}` }],
  content: [{ type: "text", text: `from ${id}` }],
  stopReason: "end_turn",
  heldBy: previousId === undefined ? undefined : "upstream"
})

const said = (...ids: ReadonlyArray<string>) =>
  ids.flatMap((id) => [
    { role: "user", content: `to ${id}` },
    { role: "assistant", content: [{ type: "text", text: `from ${id}` }] }
  ])

const save = (store: TurnStore, maker: Maker, turn: ThreadTurn, nowMs = 0) =>
  Effect.promise(() => store.save(maker, turn, nowMs))

describeOnEach("TurnStore", () => {
  it.effect("reads a thread back as soon as its turn is saved, for its account alone", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      yield* save(store, mine, turn("a"))
      yield* save(store, mine, turn("b", "a"))
      yield* save(store, mine, turn("c", "b"))
      expect(yield* store.find(mine, "c")).toEqual({
        first: "a",
        setup: { system: "Be brief." },
        messages: said("a", "b", "c"),
        stopReason: "end_turn",
        isContinued: false,
        heldBy: "upstream"
      })
      expect(yield* store.find(mine, "b")).toMatchObject({ messages: said("a", "b"), isContinued: true })
      expect(yield* store.find(another, "c")).toBeUndefined()
      expect(yield* store.find(mine, "nobody")).toBeUndefined()
    }).pipe(Effect.provide(store))
  )

  it.effect("reads what a person's key said for that person and the account's keys", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      yield* save(store, person("ann"), turn("a"))
      yield* save(store, mine, turn("b"))
      for (const holder of [person("ann"), mine]) expect(yield* store.find(holder, "a")).toMatchObject({ first: "a" })
      expect(yield* store.find(person("ben"), "a")).toBeUndefined()
      expect(yield* store.find(person("ann"), "b")).toBeUndefined()
    }).pipe(Effect.provide(store))
  )

  it.effect("reads no thread that is longer than a body may be", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      const long = (id: string, previousId?: string): ThreadTurn => ({
        ...turn(id, previousId),
        messages: [{ role: "user", content: "x".repeat(17 * 1_048_576) }]
      })
      yield* save(store, mine, long("a"))
      yield* save(store, mine, turn("b", "a"))
      yield* save(store, mine, long("c", "b"))
      expect(yield* store.find(mine, "b")).toMatchObject({ stopReason: "end_turn" })
      expect(yield* store.find(mine, "c")).toBe("too long")
      expect(yield* store.find(another, "c")).toBeUndefined()
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps one continuation of an answer, and each account's own", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      for (const account of [mine, another]) yield* save(store, account, turn("a"))
      yield* Effect.all([save(store, mine, turn("b", "a")), save(store, mine, turn("c", "a"))], {
        concurrency: "unbounded"
      })
      yield* save(store, another, turn("b", "a"))
      expect(yield* store.find(mine, "b")).toBeDefined()
      expect(yield* store.find(mine, "c")).toBeUndefined()
      // Of two threads with the same ids each is its account's alone.
      expect(yield* store.find(another, "b")).toMatchObject({ messages: said("a", "b") })
    }).pipe(Effect.provide(store))
  )

  it.effect("a thread ends with the first turn that expires", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      yield* save(store, mine, turn("a"))
      yield* save(store, mine, turn("b", "a"), 1_000)
      yield* adjust("3 days")
      expect(yield* store.find(mine, "b")).toBeUndefined()
    }).pipe(Effect.provide(store))
  )

  it.effect("what has expired is removed, the rest is not", () =>
    Effect.gen(function* () {
      const store = yield* TurnStore
      const expired = -Duration.toMillis("3 days")
      for (let at = 0; at < 120; at++) yield* save(store, mine, turn(`old ${at}`), expired)
      yield* save(store, mine, turn("young"))
      yield* Layer.launch(ThreadExpiry).pipe(Effect.forkScoped)
      yield* adjust("1 minute")
      expect(yield* store.removeExpired(1)).toBe(0)
      expect(yield* store.find(mine, "young")).toBeDefined()
    }).pipe(Effect.scoped, Effect.provide(store))
  )
})
