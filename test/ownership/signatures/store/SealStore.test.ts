import { expect, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { ReasoningSignatureExpiry } from "../../../../src/ownership/ReasoningSignatureExpiry.ts"
import {
  ReasoningSignatureBound,
  ReasoningSignatureRetention,
  ReasoningSignatures
} from "../../../../src/ownership/store/ReasoningSignatures.ts"
import { AccountId, KeyId } from "../../../../src/contract/callers/Caller.ts"
import type { Holder } from "../../../../src/contract/callers/Caller.ts"
import { Commits } from "../../../../src/sql/Commits.ts"
import { database, describeOnEach } from "../../../sql/engines.ts"
import { adjust } from "../../../sql/clock.ts"

const store = ReasoningSignatures.Default.pipe(
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(database({ exclusive: false })),
  Layer.provide(Layer.succeed(ReasoningSignatureRetention, Duration.hours(1))),
  Layer.provide(Layer.succeed(ReasoningSignatureBound, 3))
)

const mine = { account: AccountId.make("mine"), key: KeyId.make("key_mine") }
const another = { account: AccountId.make("another"), key: KeyId.make("key_another") }
/** A person of the account. */
const person = (id: string) => ({ ...mine, key: KeyId.make(`key_${id}`), person: { id, keys: [`key_${id}`] } })

const details = (text: string) => [{ type: "reasoning.text", text, signature: "s", format: "model-gateway:m" }]

const save = (store: ReasoningSignatures, holder: Holder, id: string, text = id) =>
  Effect.promise(() => store.save(holder, id, details(text)))

const found = (store: ReasoningSignatures, holder: Holder, ...ids: ReadonlyArray<string>) =>
  Effect.map(store.find(holder, ids), (kept) => [...kept.keys()].toSorted())

describeOnEach("SealStore", () => {
  it.effect("knows the reasoning behind a call as soon as it is saved, for its account alone", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, mine, "a")
      yield* save(store, mine, "b")
      yield* save(store, another, "a", "theirs")
      expect(yield* store.find(mine, ["a", "c"])).toEqual(new Map([["a", details("a")]]))
      expect(yield* store.find(another, ["a", "b"])).toEqual(new Map([["a", details("theirs")]]))
      yield* save(store, mine, "a", "later")
      expect(yield* store.find(mine, ["a"])).toEqual(new Map([["a", details("later")]]))
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the same call's reasoning of each person apart", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, person("ann"), "a", "Ann's")
      yield* save(store, person("ben"), "a", "Ben's")
      expect(yield* store.find(person("ann"), ["a"])).toEqual(new Map([["a", details("Ann's")]]))
      expect(yield* store.find(person("ben"), ["a"])).toEqual(new Map([["a", details("Ben's")]]))
      expect(yield* found(store, person("cyd"), "a")).toEqual([])
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps it an hour from the last time that it was asked for", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, mine, "asked")
      yield* save(store, mine, "left")
      for (let minutes = 0; minutes < 120; minutes += 40) {
        yield* adjust("40 minutes")
        expect(yield* found(store, mine, "asked")).toEqual(["asked"])
      }
      expect(yield* found(store, mine, "asked", "left")).toEqual(["asked"])
      yield* adjust("61 minutes")
      expect(yield* found(store, mine, "asked")).toEqual([])
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the latest of an account, and nothing that is too long", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, another, "a")
      for (const id of ["a", "b", "c", "d", "e"]) {
        yield* save(store, mine, id)
        yield* adjust("1 second")
      }
      yield* save(store, mine, "f", "x".repeat(300 * 1024))
      expect(yield* found(store, mine, "a", "b", "c", "d", "e", "f")).toEqual(["c", "d", "e"])
      expect(yield* found(store, another, "a")).toEqual(["a"])
    }).pipe(Effect.provide(store))
  )

  it.effect("finds what it can of very many", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, mine, "last")
      const many = Array.from({ length: 50_000 }, (_, index) => `call ${index}`)
      expect(yield* found(store, mine, ...many, "last")).toEqual(["last"])
    }).pipe(Effect.provide(store))
  )

  it.effect("what has expired is removed", () =>
    Effect.gen(function* () {
      const store = yield* ReasoningSignatures
      yield* save(store, mine, "old")
      yield* adjust("61 minutes")
      yield* save(store, mine, "young")
      yield* Layer.launch(ReasoningSignatureExpiry).pipe(Effect.forkScoped)
      yield* adjust("1 minute")
      expect(yield* store.removeExpired(1)).toBe(0)
      expect(yield* found(store, mine, "young")).toEqual(["young"])
    }).pipe(Effect.scoped, Effect.provide(store))
  )
})
