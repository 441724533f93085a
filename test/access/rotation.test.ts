import { expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { KeyAdministration } from "../../src/admin/KeyAdministration.ts"
import { actorNamed } from "../../src/contract/callers/Acting.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { adjust } from "../sql/clock.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { Changes } from "../../src/sql/Changes.ts"

const live = Layer.mergeAll(Access.Default, KeyAdministration.Default).pipe(
  Layer.provideMerge(Keys.Default),
  Layer.provideMerge(Changes.Default),
  Layer.provideMerge(database())
)
const overlapMs = 3_000
const actor = actorNamed("cli:ann")

const make = Effect.gen(function* () {
  const { id, secret } = yield* (yield* Keys).create({ account: AccountId.make("team"), name: "k" })
  return { id, first: Redacted.value(secret) }
})
const rotate = (id: string, forMs?: number) =>
  Effect.gen(function* () {
    const { key, secret } = yield* (yield* KeyAdministration).rotateSecret(actor, id, forMs)
    return { until: key.old_secret_until, secret: Redacted.value(secret) }
  })

/** The key that a secret opens and which of its secrets it is, otherwise the refusal. */
const opens = (secret: string) =>
  Effect.flatMap(Access, (access) => access.authenticate(new Headers({ "x-api-key": secret }))).pipe(
    Effect.map(({ key, keySecret }) => [key, keySecret]),
    Effect.catchAll(({ message }) => Effect.succeed(message))
  )
const rotated = "Invalid API key: its secret was rotated, and the old one no longer works"
const unknown = "Invalid API key: unknown key"

describeOnEach("a rotation with an overlap", () => {
  it.effect("leaves the old secret until its end, and tells which one was used", () =>
    Effect.gen(function* () {
      const { first, id } = yield* make
      expect(yield* opens(first)).toEqual([id, undefined])
      const nowMs = yield* Clock.currentTimeMillis
      const { secret, until } = yield* rotate(id, overlapMs)
      expect(until).toBe(new Date(nowMs + overlapMs).toISOString())
      for (const _ of ["looked up", "remembered"]) {
        expect(yield* opens(first)).toEqual([id, "old"])
        expect(yield* opens(secret)).toEqual([id, "new"])
      }
      yield* adjust(overlapMs - 1)
      expect(yield* opens(first)).toEqual([id, "old"])
      yield* adjust(1)
      expect(yield* opens(first)).toBe(rotated)
      expect(yield* opens(secret)).toEqual([id, undefined])
      expect(yield* (yield* KeyAdministration).show(id)).not.toHaveProperty("old_secret_until")
    }).pipe(Effect.provide(live))
  )

  it.effect("is found by either secret, and no other key may have them", () =>
    Effect.gen(function* () {
      const { first, id } = yield* make
      const { secret } = yield* rotate(id, overlapMs)
      const administration = yield* KeyAdministration
      for (const text of [first, secret]) {
        const { isWhole, keys } = yield* administration.ofSecret(Redacted.make(text))
        expect([isWhole, keys.map((key) => key.id)]).toEqual([true, [id]])
        const again = administration.create(actor, { account: "team", name: "other", secret: Redacted.make(text) })
        expect((yield* Effect.flip(again)).message).toContain("another key has it already")
      }
      yield* adjust(overlapMs)
      expect((yield* administration.ofSecret(Redacted.make(first))).isWhole).toBe(false)
    }).pipe(Effect.provide(live))
  )

  it.effect("ends with the next rotation: two secrets at most", () =>
    Effect.gen(function* () {
      const { first, id } = yield* make
      const second = yield* rotate(id, overlapMs)
      const third = yield* rotate(id, 2 * overlapMs)
      expect(yield* opens(first)).toBe(unknown)
      expect(yield* opens(second.secret)).toEqual([id, "old"])
      expect(yield* opens(third.secret)).toEqual([id, "new"])
      const fourth = yield* rotate(id)
      expect(fourth.until).toBeUndefined()
      for (const { secret } of [second, third]) expect(yield* opens(secret)).toBe(unknown)
      expect(yield* opens(fourth.secret)).toEqual([id, undefined])
    }).pipe(Effect.provide(live))
  )

  it.effect("ends with the key: revoked or expired", () =>
    Effect.gen(function* () {
      const administration = yield* KeyAdministration
      const { first, id } = yield* make
      yield* rotate(id, overlapMs)
      expect(yield* opens(first)).toEqual([id, "old"])
      const { key } = yield* administration.revoke(actor, id)
      expect(key).not.toHaveProperty("old_secret_until")
      expect(yield* opens(first)).toBe("Invalid API key: this key was revoked")
      const short = yield* make
      const nowMs = yield* Clock.currentTimeMillis
      yield* administration.update(actor, short.id, { expiresAtMs: nowMs + 1_000 })
      expect((yield* rotate(short.id, overlapMs)).until).toBe(new Date(nowMs + 1_000).toISOString())
      expect(yield* opens(short.first)).toEqual([short.id, "old"])
      yield* adjust(1_000)
      expect(yield* administration.show(short.id)).not.toHaveProperty("old_secret_until")
      expect(yield* opens(short.first)).toBe("Invalid API key: this key has expired")
    }).pipe(Effect.provide(live))
  )
})
