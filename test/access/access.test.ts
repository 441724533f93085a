import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import { Access } from "../../src/access/Access.ts"
import * as ApiKey from "../../src/access/ApiKey.ts"
import { IssuedTokens } from "../../src/access/IssuedTokens.ts"
import { LastUsed } from "../../src/access/LastUsed.ts"
import { SpendingCaps } from "../../src/access/SpendingCaps.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { SignInKeys } from "../../src/access/store/SignInKeys.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { adjust } from "../sql/clock.ts"

const live = Access.Default.pipe(
  Layer.provideMerge(Keys.Default),
  Layer.provideMerge(Changes.Default),
  Layer.provideMerge(database())
)
const team = AccountId.make("team")

const bearer = (secret: string) => new Headers({ authorization: `Bearer ${secret}` })
const make = (options: { models?: Array<string>; expiresAtMs?: number } = {}) =>
  Effect.flatMap(Keys, (keys) => keys.create({ account: team, name: "k", ...options }))
const authenticate = (headers: Headers) => Effect.flatMap(Access, (access) => access.authenticate(headers))
const refusal = (headers: Headers) => Effect.flip(authenticate(headers))

/** Whether a key was read, and whether who asked for it may hear of it. */
class Slow extends Effect.Service<Slow>()("test/Slow", {
  effect: Effect.all({ isRead: Effect.makeLatch(), mayAnswer: Effect.makeLatch() })
}) {}

const slowKeys = Layer.effect(
  Keys,
  Effect.map(Effect.all([Keys, Slow]), ([keys, { isRead, mayAnswer }]) => {
    const open = (hash: string) => Effect.tap(keys.open(hash), () => Effect.zipRight(isRead.open, mayAnswer.await))
    // oxlint-disable-next-line typescript/no-misused-spread -- the methods of a service are its own properties
    return new Keys({ ...keys, open })
  })
).pipe(Layer.provide(Keys.Default))

const slow = Access.DefaultWithoutDependencies.pipe(
  Layer.provide(Layer.merge(LastUsed.Default, SpendingCaps.Default)),
  Layer.provideMerge(Changes.Default),
  Layer.provideMerge(slowKeys),
  Layer.provideMerge(Layer.merge(Slow.Default, SignInKeys.Default)),
  Layer.provideMerge(database())
)

describeOnEach("a key", () => {
  it.effect("opens its account by Bearer and by x-api-key, and Bearer wins", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make()
      const text = Redacted.value(secret)
      expect((yield* authenticate(bearer(text))).key).toBe(id)
      expect((yield* authenticate(new Headers({ "x-api-key": text }))).account).toBe(team)
      expect((yield* authenticate(new Headers({ authorization: `bearer ${text}`, "x-api-key": "no" }))).key).toBe(id)
      const { id: other, secret: second } = yield* make()
      const both = new Headers({ authorization: `Bearer ${Redacted.value(second)}`, "x-api-key": text })
      expect((yield* authenticate(both)).key).toBe(other)
    }).pipe(Effect.provide(live))
  )

  it.effect("opens beside another service's, in either header", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make()
      const text = Redacted.value(secret)
      for (const authorization of ["Bearer of-another-service", "Basic dTpw"]) {
        expect((yield* authenticate(new Headers({ authorization, "x-api-key": text }))).key).toBe(id)
      }
      const lost = yield* refusal(new Headers({ authorization: "Bearer no", "x-api-key": "neither" }))
      expect(lost._tag).toBe("AuthInvalid")
    }).pipe(Effect.provide(live))
  )

  it.effect("seen before is answered without a fiber", () =>
    Effect.gen(function* () {
      const text = Redacted.value((yield* make()).secret)
      const access = yield* Access
      // What is remembered is forgotten with the next change, and making a key is one.
      yield* Effect.flatMap(Changes, (changes) => changes.notice)
      yield* access.authenticate(bearer(text))
      expect(Exit.isExit(access.authenticate(bearer(text)))).toBe(true)
    }).pipe(Effect.provide(live))
  )

  it.effect("missing, malformed, mistyped and unknown are told apart", () =>
    Effect.gen(function* () {
      const text = Redacted.value((yield* make()).secret)
      expect((yield* refusal(new Headers()))._tag).toBe("AuthMissing")
      for (const header of [text, `Basic ${text}`, "Bearer", `Bearer ${text} ${text}`]) {
        const failure = yield* refusal(new Headers({ authorization: header }))
        expect([failure._tag, failure.message]).toEqual([
          "AuthInvalid",
          "Malformed Authorization header: expected `Authorization: Bearer <API_KEY>`"
        ])
      }
      expect((yield* refusal(bearer(text.slice(0, -1)))).message).toContain("mistyped")
      expect((yield* refusal(bearer("somebody-elses-secret-key"))).message).toContain("unknown key")
      expect((yield* refusal(new Headers({ "x-api-key": "nothing" })))._tag).toBe("AuthInvalid")
    }).pipe(Effect.provide(live))
  )

  it.effect("revoked, also by another process, opens nothing within a second", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make()
      yield* authenticate(bearer(Redacted.value(secret)))
      const keys = yield* Keys
      expect(yield* keys.revoke(id)).toBe(true)
      expect(yield* keys.revoke(id)).toBe(false)
      yield* adjust("1 second")
      expect((yield* refusal(bearer(Redacted.value(secret)))).message).toContain("revoked")
    }).pipe(Effect.provide(live))
  )

  it.effect("revoked while it is looked up is not remembered as it was", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make()
      const [access, keys, { isRead, mayAnswer }] = yield* Effect.all([Access, Keys, Slow])
      const asked = yield* Effect.fork(access.authenticate(bearer(Redacted.value(secret))))
      yield* isRead.await
      yield* keys.revoke(id)
      yield* Effect.flatMap(Changes, (changes) => changes.notice)
      yield* mayAnswer.open
      yield* Fiber.join(asked)
      expect((yield* refusal(bearer(Redacted.value(secret)))).message).toContain("revoked")
    }).pipe(Effect.provide(slow))
  )

  it.effect("expires at its time, cached or not", () =>
    Effect.gen(function* () {
      const text = Redacted.value((yield* make({ expiresAtMs: 10_000 })).secret)
      yield* authenticate(bearer(text))
      yield* adjust("9999 millis")
      yield* authenticate(bearer(text))
      yield* adjust("1 millis")
      expect((yield* refusal(bearer(text))).message).toContain("expired")
    }).pipe(Effect.provide(live))
  )

  it.effect("is stored as its SHA-256 alone", () =>
    Effect.gen(function* () {
      const text = Redacted.value((yield* make()).secret)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT * FROM keys`
      expect(JSON.stringify(rows)).not.toContain(text.slice(3, 20))
      expect(rows[0]?.["hash"]).toBe(new Bun.CryptoHasher("sha256").update(text).digest("hex"))
    }).pipe(Effect.provide(live))
  )
})

/** The tokens that were opened, as the key with this hash. */
class Tokens extends Effect.Service<Tokens>()("test/Tokens", {
  sync: () => ({ opened: new Array<string>(), key: { hash: "" } })
}) {}

/** Opens what has two dots, and has it verified again after a minute. */
const withTokens = Access.Default.pipe(
  Layer.provide(
    Layer.effect(
      IssuedTokens,
      Effect.map(Effect.all([Keys, Tokens]), ([keys, { key, opened }]) => ({
        open: (secret: string) => {
          if (secret.split(".").length !== 3) return undefined
          opened.push(secret)
          return Effect.map(
            keys.open(key.hash),
            Option.map((found) => ({ ...found, verifiedUntilMs: 60_000 * opened.length }))
          )
        }
      }))
    )
  ),
  Layer.provideMerge(Layer.merge(Keys.Default, Tokens.Default)),
  Layer.provideMerge(Changes.Default),
  Layer.provideMerge(database())
)

describeOnEach("a token", () => {
  it.effect("is opened in place of a key, and again once it has to be verified, or after a change", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make()
      const { key, opened } = yield* Tokens
      const access = yield* Access
      const { notice } = yield* Changes
      key.hash = ApiKey.hash(Redacted.value(secret))
      yield* notice
      expect((yield* authenticate(bearer("a.b.c"))).key).toBe(id)
      expect((yield* authenticate(new Headers({ "x-api-key": "a.b.c" }))).key).toBe(id)
      expect(Exit.isExit(access.authenticate(bearer("a.b.c")))).toBe(true)
      expect(opened).toEqual(["a.b.c"])
      yield* adjust("1 minute")
      yield* authenticate(bearer("a.b.c"))
      expect(opened).toHaveLength(2)
      expect((yield* authenticate(bearer(Redacted.value(secret)))).key).toBe(id)
      // What is asked for by its hash is a stored key.
      expect((yield* Effect.flip(access.open(ApiKey.hash("a.b.c")))).message).toContain("unknown key")
      yield* Effect.flatMap(Keys, (keys) => keys.revoke(id))
      yield* notice
      expect((yield* refusal(bearer("a.b.c"))).message).toContain("revoked")
      expect(opened).toHaveLength(3)
    }).pipe(Effect.provide(withTokens))
  )
})

describeOnEach("the first start", () => {
  it.effect("makes one key and shows it once", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const shown = yield* keys.bootstrap(Option.none())
      const secret = Redacted.value(Option.getOrThrow(shown))
      expect(secret).toMatch(ApiKey.pattern)
      expect((yield* authenticate(bearer(secret))).account).toBe("default")
      expect(Option.isNone(yield* keys.bootstrap(Option.none()))).toBe(true)
    }).pipe(Effect.provide(live))
  )

  it.effect("takes the operator's own key instead and shows nothing", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const chosen = Redacted.make("gw_a key of my very own choosing".replaceAll(" ", "-"))
      expect(Option.isNone(yield* keys.bootstrap(Option.some(chosen)))).toBe(true)
      expect((yield* authenticate(bearer(Redacted.value(chosen)))).account).toBe("default")
    }).pipe(Effect.provide(live))
  )
})
