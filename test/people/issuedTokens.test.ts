import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import type { Scope } from "effect"
import { afterAll, afterEach, beforeAll, vi } from "vitest"
import { IssuedTokens } from "../../src/access/IssuedTokens.ts"
import { Configuration } from "../../src/config/Configuration.ts"
import { Settings } from "../../src/config/Settings.ts"
import { IssuedTokensLive } from "../../src/people/IssuedTokensLive.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { audience, away, newSigner, startIssuer } from "./tokenIssuer.ts"
import type { TokenIssuer } from "./tokenIssuer.ts"

let issuer: TokenIssuer

beforeAll(async () => {
  issuer = await startIssuer()
})
afterEach(() => {
  vi.restoreAllMocks()
  issuer.answers(undefined)
  issuer.publishes([issuer.first.jwk, issuer.second.jwk])
  issuer.fetches.length = 0
})
afterAll(() => issuer.stop())

const startMs = Math.floor(Date.now() / 1_000) * 1_000
let nowMs = startMs

/** A time that a test sets. Nothing waits for it: what the database does now and then is left out. */
const clock: Clock.Clock = {
  ...Clock.make(),
  currentTimeMillis: Effect.sync(() => nowMs),
  currentTimeNanos: Effect.sync(() => BigInt(nowMs) * 1_000_000n),
  unsafeCurrentTimeMillis: () => nowMs,
  unsafeCurrentTimeNanos: () => BigInt(nowMs) * 1_000_000n,
  sleep: () => Effect.never
}

const later = (ms: number) => Effect.sync(() => (nowMs += ms))

const timed = <E>(name: string, test: () => Effect.Effect<unknown, E, Scope.Scope>) =>
  it.scopedLive(name, () =>
    Effect.suspend(() => {
      nowMs = startMs
      // `jose` reads the time itself.
      vi.spyOn(Date, "now").mockImplementation(() => nowMs)
      return Effect.withClock(test(), clock)
    })
  )

/** Opens tokens by a configuration. */
const start = (entry = "") =>
  Effect.gen(function* () {
    const path = join(mkdtempSync(join(tmpdir(), "gateway-tokens-")), "gateway.yaml")
    const write = (more: string) =>
      writeFileSync(
        path,
        `sign_in: { jwt: [{ issuer: "${issuer.issuer}", audience: ${audience}, account: team-a${more} }] }`
      )
    write(entry)
    const context = yield* Layer.build(
      IssuedTokensLive.pipe(
        Layer.provideMerge(Configuration.Default),
        Layer.provide(Settings.from({ GATEWAY_CONFIG: path })),
        Layer.provide(databaseAt({ url: "sqlite::memory:", exclusive: true }))
      )
    )
    const { open } = Context.get(context, IssuedTokens)
    /** How many ms the token need not be verified again, or why it opens nothing. */
    const answerTo = (token: string) => {
      const opening = open(token)
      if (opening === undefined) throw new Error("it is no token")
      return opening.pipe(
        Effect.map((found) => (found._tag === "None" ? "none" : (found.value.verifiedUntilMs ?? 0) - nowMs)),
        Effect.catchAll(({ message }) => Effect.succeed(message))
      )
    }
    return {
      send: (...given: Parameters<TokenIssuer["token"]>) =>
        Effect.flatMap(
          Effect.promise(() => issuer.token(...given)),
          answerTo
        ),
      reload: (more: string) => {
        write(more)
        return Context.get(context, Configuration).reload
      }
    }
  })

const at = (seconds: number) => startMs / 1_000 + seconds
const minute = 60_000
const hour = 60 * minute
const noAnswer = "The issuer of this token does not answer; try again later"
const noKey = "Invalid API key: its issuer publishes no key that this token is signed with"

describe("a token", () => {
  timed("need not be verified again for five minutes, or until it ends", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      expect(yield* send({ exp: at(3_600) })).toBe(5 * minute)
      expect(yield* send({ exp: at(120) })).toBe(2 * minute)
      yield* later(150_000)
      expect(yield* send({ exp: at(120) })).toBe(-30_000)
      yield* later(30_000)
      expect(yield* send({ exp: at(120) })).toBe("Invalid API key: this token has expired")
    })
  )

  timed("is signed by an algorithm that its issuer publishes", () =>
    Effect.gen(function* () {
      const { alg: _, ...anyAlgorithm } = issuer.first.jwk
      const pss = yield* Effect.promise(() => issuer.first.keyFor("PS256"))
      issuer.publishes([anyAlgorithm], { id_token_signing_alg_values_supported: ["HS256", "RS256", "none"] })
      const { send } = yield* start()
      const notAllowed = "Invalid API key: this token is signed by an algorithm that is not allowed"
      expect(yield* send()).toBe(5 * minute)
      expect(yield* send({}, { alg: "PS256" }, pss)).toBe(notAllowed)
      expect(yield* send({}, { alg: "HS256" }, new Uint8Array(32))).toBe(notAllowed)
      const { send: byAddress } = yield* start(`, jwks_uri: "${issuer.issuer}/jwks"`)
      expect(yield* byAddress({}, { alg: "PS256" }, pss)).toBe(5 * minute)
    })
  )

  timed("has to name its key where its issuer has several", () =>
    Effect.gen(function* () {
      const next = yield* Effect.promise(() => newSigner("next"))
      issuer.publishes([issuer.first.jwk, next.jwk])
      const { send } = yield* start()
      expect(yield* send({}, { kid: undefined })).toContain("does not name its key")
      expect(yield* send()).toBe(5 * minute)
    })
  )
})

describe("an issuer", () => {
  timed("may change its keys: a new one is found within half a minute, an old one goes within ten", () =>
    Effect.gen(function* () {
      const next = yield* Effect.promise(() => newSigner("next"))
      const { send } = yield* start()
      expect(yield* send()).toBe(5 * minute)
      issuer.publishes([next.jwk])
      expect(yield* send({}, { kid: "next" }, next.privateKey)).toBe(noKey)
      yield* later(30_000)
      expect(yield* send({}, { kid: "next" }, next.privateKey)).toBe(5 * minute)
      expect(issuer.fetches.filter((path) => path === "/jwks")).toHaveLength(2)
      issuer.publishes([issuer.first.jwk])
      yield* later(9 * minute)
      expect(yield* send({}, { kid: "next" }, next.privateKey)).toBe(5 * minute)
      yield* later(minute)
      expect(yield* send({ exp: at(7_200) }, { kid: "next" }, next.privateKey)).toBe(noKey)
    })
  )

  timed("that is away is asked every ten seconds, and its last keys count for an hour", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      issuer.answers(away)
      expect([yield* send(), yield* send()]).toEqual([noAnswer, noAnswer])
      expect(issuer.fetches).toHaveLength(1)
      yield* later(10_000)
      expect(yield* send()).toBe(noAnswer)
      expect(issuer.fetches).toHaveLength(2)
      issuer.answers(undefined)
      yield* later(10_000)
      expect(yield* send()).toBe(5 * minute)
      issuer.answers(away)
      const exp = at(36_000)
      yield* later(59 * minute)
      expect(yield* send({ exp })).toBe(5 * minute)
      // It may have new keys that are not seen yet.
      expect(yield* send({ exp }, { kid: "new" })).toBe(noAnswer)
      yield* later(hour)
      expect(yield* send({ exp })).toBe(noAnswer)
      issuer.answers(undefined)
      yield* later(10_000)
      expect(yield* send({ exp })).toBe(5 * minute)
    })
  )

  timed("is asked once, also where those who ask do not wait", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const gate = Promise.withResolvers<void>()
      issuer.answers(() => gate.promise.then(away))
      const impatient = yield* Effect.forEach([1, 2, 3, 4], () => Effect.fork(send()))
      yield* Effect.promise(async () => {
        while (issuer.fetches.length === 0) await Bun.sleep(5)
      })
      for (const fiber of impatient) yield* Fiber.interruptFork(fiber)
      const patient = yield* Effect.fork(send())
      yield* Effect.promise(() => Bun.sleep(100))
      gate.resolve()
      expect(yield* Fiber.join(patient)).toBe(noAnswer)
      expect(issuer.fetches).toHaveLength(1)
    })
  )

  timed("keeps its known keys over a reload while it is away", () =>
    Effect.gen(function* () {
      const { reload, send } = yield* start()
      expect(yield* send()).toBe(5 * minute)
      issuer.answers(away)
      yield* reload(", models: [sandbox-text]")
      expect(yield* send()).toBe(5 * minute)
      yield* reload(', jwks_uri: "https://127.0.0.1:1/other"')
      expect(yield* send()).toBe(noAnswer)
    })
  )

  /** The issuer's metadata with other fields. */
  const metadata = (fields: object) => (path: string) =>
    path === "/jwks"
      ? undefined
      : Response.json({ issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/jwks`, ...fields })

  it.scopedLive.each<readonly [string, () => (path: string) => Response | undefined]>([
    ["names another issuer", () => metadata({ issuer: "https://login.corp.test" })],
    // The same server by an address that is not this machine's alone.
    [
      "has its keys where others read along",
      () => metadata({ jwks_uri: `${issuer.issuer.replace("localhost", "0.0.0.0")}/jwks` })
    ],
    ["has keys nowhere", () => metadata({ jwks_uri: undefined })],
    ["signs with passwords alone", () => metadata({ id_token_signing_alg_values_supported: ["HS256"] })],
    ["has no list of keys", () => (path) => (path === "/jwks" ? Response.json({ keys: {} }) : undefined)],
    ["answers with a page", () => () => new Response("<html>")],
    ["answers without end", () => () => new Response("[".repeat(2 * 1024 * 1024))],
    [
      "leads elsewhere",
      () => (path) => (path === "/elsewhere" ? undefined : Response.redirect(`${issuer.issuer}/elsewhere`))
    ]
  ])("whose metadata %s is not believed", ([, answer]) =>
    Effect.gen(function* () {
      issuer.answers(answer())
      const { send } = yield* start()
      expect(yield* send()).toBe(noAnswer)
      expect(issuer.fetches).not.toContain("/elsewhere")
      issuer.answers(metadata({}))
      const { send: again } = yield* start()
      expect(yield* again()).toBeGreaterThan(0)
    })
  )
})
