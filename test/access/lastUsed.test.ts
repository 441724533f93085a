import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { LastUsed } from "../../src/access/LastUsed.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { UndecodableRow } from "../../src/sql/decode.ts"
import { adjust } from "../sql/clock.ts"

const live = Layer.merge(LastUsed.Default, Keys.Default).pipe(Layer.provideMerge(database()))

const make = (name: string) =>
  Effect.flatMap(Keys, (keys) => Effect.map(keys.create({ account: AccountId.make("team"), name }), ({ id }) => id))

describeOnEach("when a key was last used", () => {
  it.effect("is stored for many keys by one statement, and for none that is not there", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const [first, second, third] = yield* Effect.all([make("a"), make("b"), make("c")])
      yield* keys.used([
        [first, 1_795_302_673_549],
        [KeyId.make("key_nobody"), 1],
        [third, 7]
      ])
      const times = yield* Effect.forEach([first, second, third], (id) => keys.find(id))
      expect(times.map((key) => key?.last_used_at)).toEqual([1_795_302_673_549, null, 7])
    }).pipe(Effect.provide(live))
  )

  it.effect("is stored within seconds", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const id = yield* make("a")
      const lastUsed = yield* LastUsed
      lastUsed.note(id, 60_000)
      const stored = keys.find(id).pipe(
        Effect.map((key) => key?.last_used_at),
        Effect.repeat({ until: (at) => at !== null })
      )
      yield* adjust("5 seconds")
      expect(yield* stored).toBe(60_000)
    }).pipe(Effect.provide(live))
  )
})

describeOnEach("a stored key", () => {
  it.effect("that can't be read opens nothing, and says by which column alone", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE keys SET limits = 'secret' WHERE id = ${yield* make("a")}`
      const defect = yield* Effect.flip(Effect.sandbox(keys.list({ all: true, offset: 0, limit: 9 }, 0)))
      expect(defect._tag === "Die" && defect.defect).toBeInstanceOf(UndecodableRow)
      expect(String(defect)).toContain("keys.limits: expected JSON of ")
      expect(String(defect)).not.toContain("secret")
    }).pipe(Effect.provide(live))
  )
})
