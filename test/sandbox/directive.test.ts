import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { countText } from "../../src/tokens/tokens.ts"
import { conversation, said } from "../generation/conversations.ts"
import { asking, callsIn, endOf, generate, run, textIn, usageIn } from "./run.ts"

const elapsed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const value = yield* effect
    return { value, ms: performance.now() - began }
  })

describe("a sandbox directive", () => {
  it.effect("is taken out of the echoed text", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("Say [[sandbox: pace=0]] hello"))
      expect(textIn(events)).toBe('You said: "Say hello".')
    })
  )

  it.effect("counts only in the last user text", () =>
    Effect.gen(function* () {
      const items = [said("user", "[[sandbox: error=500]] A"), said("assistant", "B"), said("user", "C")]
      const text = textIn(yield* run(conversation({ items })))
      expect(text).toBe('You said: "C". Before that you said: "A".')
    })
  )

  it.effect("says what is wrong with it", () =>
    Effect.gen(function* () {
      const messages: ReadonlyArray<readonly [string, string]> = [
        [
          "[[sandbox: haste=1]]",
          "expected delay, pace, tokens, error, cut, stall, finish, tool, tier, speed, geo, call"
        ],
        ["[[sandbox: tier=]]", "expected a word"],
        ["[[sandbox: call=web_search]]", "expected one of image_generation, code_interpreter"],
        ["[[sandbox: call=shell:0]]", "expected 1 to 1000 calls"],
        ["[[sandbox: audio_output=0]]", "expected 1 to 100000"],
        ["[[sandbox: delay=soon]]", "expected a duration"],
        ["[[sandbox: tokens=0]]", "expected 1 to 100000"],
        ["[[sandbox: error=200]]", "expected a status from 400 to 599"],
        ["[[sandbox: finish=never]]", "expected one of stop, length, refusal"],
        ["[[sandbox: tool=]]", "expected a name"]
      ]
      for (const [text, message] of messages) {
        const failure = yield* Effect.flip(run(asking(text)))
        expect(failure).toMatchObject({ _tag: "InvalidRequest", message: expect.stringContaining(message) })
      }
    })
  )

  it.effect("tokens=N: answers with exactly N tokens", () =>
    Effect.gen(function* () {
      for (const tokens of [1, 2, 19, 500, 2_000]) {
        for (const stream of [true, false]) {
          const events = yield* run(asking(`[[sandbox: tokens=${tokens}]]`), { stream })
          expect(countText(textIn(events))).toBe(tokens)
          expect(usageIn(events).outputTokens).toBe(tokens)
          expect(endOf(events)).toMatchObject({ reason: "stop" })
        }
      }
    })
  )

  it.effect("error=STATUS: fails as an upstream with that status", () =>
    Effect.gen(function* () {
      const failed = (status: number) => Effect.flip(run(asking(`[[sandbox: error=${status}]]`)))
      expect(yield* failed(400)).toMatchObject({ status: 400, retry: "never", failure: { _tag: "InvalidRequest" } })
      expect(yield* failed(429)).toMatchObject({
        retryAfterMs: 1_000,
        failure: { _tag: "RateLimited", retryAfterSeconds: 1 }
      })
      expect(yield* failed(503)).toMatchObject({ retry: "elsewhere", failure: { _tag: "UpstreamFailed" } })
    })
  )

  it.effect("error with delay: the answer itself fails, later", () =>
    Effect.gen(function* () {
      const { ms, value } = yield* elapsed(run(asking("[[sandbox: delay=30ms error=500]]")))
      expect(ms).toBeGreaterThanOrEqual(25)
      expect(value).toMatchObject([{ type: "failed", failure: { _tag: "UpstreamFailed" } }])
    })
  )

  it.effect("cut=N: breaks the stream after N tokens", () =>
    Effect.gen(function* () {
      for (const stream of [true, false]) {
        const events = yield* run(asking("[[sandbox: tokens=50 cut=20]]"), { stream })
        expect(countText(textIn(events))).toBe(20)
        expect(usageIn(events).outputTokens).toBe(20)
        expect(endOf(events)).toMatchObject({ type: "failed", failure: { _tag: "UpstreamFailed" } })
      }
      const short = yield* run(asking("[[sandbox: cut=20 error=429]] Hi"))
      expect(endOf(short)).toMatchObject({ type: "failed", failure: { _tag: "RateLimited" } })
      const atOnce = yield* run(asking("[[sandbox: cut=0]] Hi"))
      expect(atOnce.map((event) => event.type)).toEqual(["started", "usage", "failed"])
    })
  )

  it.effect("cut after the token limit: the limit comes first", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("[[sandbox: tokens=50 cut=20]]", { maxOutputTokens: 10 }))
      expect(endOf(events)).toMatchObject({ type: "finished", reason: "max-tokens" })
    })
  )

  it.effect("delay and pace: takes its time, and is the same answer", () =>
    Effect.gen(function* () {
      const at = yield* run(asking("[[sandbox: tokens=8]]"))
      const paced = yield* elapsed(run(asking("[[sandbox: delay=40ms pace=10ms tokens=8]]")))
      expect(textIn(paced.value)).toBe(textIn(at))
      expect(usageIn(paced.value).outputTokens).toBe(8)
      expect(paced.ms).toBeGreaterThanOrEqual(40 + 7 * 10 - 10)
      const generation = yield* generate(asking("[[sandbox: pace=10ms tokens=8]]"))
      const first = generation.next()
      expect(Array.isArray(first) && first.map((event) => event.type)).toEqual(["started", "text-start", "text-delta"])
      expect(generation.next()).toBeInstanceOf(Promise)
      generation.cancel()
    })
  )

  it.effect("stall: goes silent until it is cancelled", () =>
    Effect.gen(function* () {
      for (const setting of ["stall=3", "stall=3 pace=1ms"]) {
        const generation = yield* generate(asking(`[[sandbox: ${setting}]] Hello there`))
        const events = []
        let next = yield* Effect.promise(async () => generation.next())
        while (next !== undefined && !next.some((event) => event.type === "usage")) {
          events.push(...next)
          next = yield* Effect.promise(async () => generation.next())
        }
        events.push(...(next ?? []))
        expect(countText(textIn(events))).toBe(3)
        const silence = generation.next()
        expect(silence).toBeInstanceOf(Promise)
        generation.cancel()
        expect(yield* Effect.promise(async () => silence)).toBeUndefined()
        expect(generation.next()).toBeUndefined()
      }
    })
  )

  it.effect("stall alone: is silent from the first word on", () =>
    Effect.gen(function* () {
      const generation = yield* generate(asking("[[sandbox: stall]]"))
      const first = generation.next()
      const waiting = first instanceof Promise ? first : generation.next()
      expect(waiting).toBeInstanceOf(Promise)
      generation.cancel()
      expect(yield* Effect.promise(async () => waiting)).toBeUndefined()
    })
  )

  it.effect("a cancelled wait ends at once", () =>
    Effect.gen(function* () {
      const generation = yield* generate(asking("[[sandbox: delay=10m]]"))
      const waiting = generation.next()
      expect(waiting).toBeInstanceOf(Promise)
      generation.cancel()
      generation.cancel()
      expect(yield* Effect.promise(async () => waiting)).toBeUndefined()
    })
  )

  it.effect("finish=…: ends as told", () =>
    Effect.gen(function* () {
      const reasons = {
        stop: "stop",
        length: "max-tokens",
        refusal: "refusal",
        pause: "pause",
        context: "context-exceeded"
      }
      for (const [finish, reason] of Object.entries(reasons)) {
        const events = yield* run(asking(`[[sandbox: finish=${finish}]] Hi`))
        expect(endOf(events)).toMatchObject({ type: "finished", reason })
        expect(events.some((event) => event.type === "refusal-delta")).toBe(finish === "refusal")
      }
    })
  )

  it.effect("stays in force in a tool loop, but calls its tool once", () =>
    Effect.gen(function* () {
      const tools = [
        { type: "function", name: "lookup", description: undefined, parameters: {}, strict: undefined } as const
      ]
      const asked = asking("[[sandbox: tool=lookup tokens=5]]", { tools })
      const [call] = callsIn(yield* run(asked))
      expect(call).toMatchObject({ name: "lookup", arguments: "{}" })
      const events = yield* run({
        ...asked,
        items: [
          ...asked.items,
          { type: "tool-call", callId: "c", name: "lookup", arguments: "{}", kind: "function" },
          { type: "tool-result", callId: "c", content: [], isError: false }
        ]
      })
      expect(callsIn(events)).toEqual([])
      expect(countText(textIn(events))).toBe(5)
    })
  )
})
