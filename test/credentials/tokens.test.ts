import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeAzureAuth } from "../../src/credentials/azureAuth.ts"
import type { Source } from "../../src/credentials/Source.ts"
import { fixedKeys, kinds, makeCloud } from "./clouds.ts"

// AWS's library asks again by itself, with pauses that are not this clock's.
beforeAll(() => void (process.env["AWS_MAX_ATTEMPTS"] = "1"))
afterAll(() => void delete process.env["AWS_MAX_ATTEMPTS"])

/** Whatever runs outside of the test's clock gets on. */
const nextTurn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

/** Waits for a value that another fetch brings. */
const until = <A>(get: Effect.Effect<A>, isIt: (value: A) => boolean): Effect.Effect<A> =>
  Effect.flatMap(get, (value) => (isIt(value) ? Effect.succeed(value) : Effect.zipRight(nextTurn, until(get, isIt))))

const start = TestClock.setTime(Date.parse("2026-11-27T12:00:00Z"))
const hour = 3_600_000

describe.each(kinds)("tokens of %s", (kind) => {
  it.effect("are fetched once for a thousand requests at once", () =>
    Effect.gen(function* () {
      yield* start
      const { headers, state } = yield* makeCloud(kind)
      yield* Effect.all(
        Array.from({ length: 1_000 }, () => headers),
        { concurrency: "unbounded" }
      )
      expect(state.asked).toBe(1)
    })
  )

  it.effect("are refreshed ahead of their end, while requests go on with the old one", () =>
    Effect.gen(function* () {
      yield* start
      const { state, token } = yield* makeCloud(kind)
      expect(yield* token).toBe(`${kind}-1`)
      yield* TestClock.adjust("54 minutes")
      expect(yield* token).toBe(`${kind}-1`)
      expect(state.asked).toBe(1)
      yield* TestClock.adjust("90 seconds")
      expect(yield* token).toBe(`${kind}-1`)
      expect(yield* until(token, (value) => value !== `${kind}-1`)).toBe(`${kind}-2`)
      expect(state.asked).toBe(2)
    })
  )

  it.effect("that are still good go on while the token service is down for ten minutes", () =>
    Effect.gen(function* () {
      yield* start
      const { asking, state, token } = yield* makeCloud(kind)
      yield* token
      state.isDown = true
      yield* TestClock.adjust("49 minutes")
      for (let step = 0; step < 20; step++) {
        expect(yield* asking()).toEqual({ token: `${kind}-1`, refusals: 0 })
        yield* nextTurn
        yield* TestClock.adjust("30 seconds")
      }
      expect(state.asked).toBeGreaterThan(1)
      state.isDown = false
      expect((yield* until(asking(), (answer) => answer?.token !== `${kind}-1`))?.refusals).toBe(0)
    })
  )

  it.effect("are fetched anew once if they are refused, and the request is answered", () =>
    Effect.gen(function* () {
      yield* start
      const { asking, revoke, state } = yield* makeCloud(kind)
      expect(yield* asking()).toEqual({ token: `${kind}-1`, refusals: 0 })
      yield* revoke
      expect(yield* asking()).toEqual({ token: `${kind}-2`, refusals: 1 })
      yield* revoke
      // A caller can provoke refusals; the next fetch is a minute away.
      expect(yield* asking()).toBeUndefined()
      expect(state.asked).toBe(2)
      yield* TestClock.adjust("61 seconds")
      expect(yield* asking()).toEqual({ token: `${kind}-3`, refusals: 1 })
    })
  )

  it.effect.each([
    { where: "behind", aheadMs: hour },
    { where: "ahead", aheadMs: -hour }
  ])("hold where this machine's clock is an hour $where, which one refusal corrects for good", ({ aheadMs }) =>
    Effect.gen(function* () {
      yield* start
      const { asking, state } = yield* makeCloud(kind)
      state.aheadMs = aheadMs
      const first = yield* asking()
      // Google's clock tells the token service, AWS's the model; Entra's tokens need none.
      expect(first).toEqual({ token: `${kind}-1`, refusals: kind === "aws" ? 1 : 0 })
      const asked = state.asked
      expect(asked).toBe(kind === "google" ? 2 : 1)
      for (let again = 0; again < 5; again++) expect(yield* asking()).toEqual({ token: `${kind}-1`, refusals: 0 })
      expect(state.asked).toBe(asked)
      // The offset is kept: the next token costs no refusal.
      yield* TestClock.adjust("61 minutes")
      yield* until(asking(), (answer) => answer?.token === `${kind}-2`)
      expect(yield* asking()).toEqual({ token: `${kind}-2`, refusals: 0 })
      expect(state.asked).toBe(asked + 1)
    })
  )
})

it.effect("a wrong clock is corrected for all requests that were signed by it", () =>
  Effect.gen(function* () {
    yield* start
    const { asking, source, state } = yield* makeCloud("aws")
    const auth = yield* fixedKeys(source)
    state.aheadMs = hour
    const answers = yield* Effect.all(
      Array.from({ length: 100 }, () => asking(auth)),
      { concurrency: "unbounded" }
    )
    expect(answers.filter((answer) => answer?.refusals === 1)).toHaveLength(100)
    expect((yield* asking(auth))?.refusals).toBe(0)
  })
)

it.effect("a token of Azure's App Service, which tells its end by its own clock, is refreshed ahead of it", () =>
  Effect.gen(function* () {
    yield* start
    const clock = yield* Effect.clock
    let asked = 0
    const source: Source = {
      env: { IDENTITY_ENDPOINT: "http://127.0.0.1/msi/token", IDENTITY_HEADER: "header" },
      fetch: () => Promise.reject(new Error("a metadata server is local")),
      fetchLocally: () => {
        const theirs = clock.unsafeCurrentTimeMillis() + hour
        const end = String((theirs + hour) / 1_000)
        const headers = { date: new Date(theirs).toUTCString() }
        return Promise.resolve(Response.json({ access_token: `token-${++asked}`, expires_on: end }, { headers }))
      },
      now: () => clock.unsafeCurrentTimeMillis()
    }
    const unset = { tenantId: undefined, clientId: undefined, clientSecret: undefined, scope: "s/.default" }
    const auth = yield* makeAzureAuth(unset, source)
    const call = { method: "GET", url: "https://x", headers: {}, body: undefined } as const
    const token = Effect.map(
      Effect.promise(() => auth.headers(call)),
      ({ authorization }) => authorization
    )
    expect(yield* token).toBe("Bearer token-1")
    yield* TestClock.adjust("54 minutes")
    expect(yield* token).toBe("Bearer token-1")
    yield* TestClock.adjust("2 minutes")
    expect(yield* until(token, (value) => value !== "Bearer token-1")).toBe("Bearer token-2")
  })
)
