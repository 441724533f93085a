import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { came, nextTurn } from "../../src/flow/eventLoop.ts"
import { said } from "../generation/conversations.ts"
import { asking, callsIn, endOf, generate, run, textIn, usageIn } from "./run.ts"

const schema = { type: "string", minLength: 500_000_000 }

describe("what the token limit has no room for", () => {
  it.effect("ends a structured answer, whole and streamed", () =>
    Effect.gen(function* () {
      const format = { type: "json-schema", name: "long", schema, strict: undefined, description: undefined } as const
      for (const stream of [true, false]) {
        const events = yield* run(asking("Go", { format, maxOutputTokens: 500 }), { stream })
        expect(endOf(events)).toMatchObject({ type: "finished", reason: "max-tokens" })
        expect(usageIn(events).outputTokens).toBe(500)
        const unbounded = yield* run(asking("Go", { format }), { stream })
        expect(endOf(unbounded)).toMatchObject({ type: "finished", reason: "max-tokens" })
        expect(textIn(unbounded).length).toBeLessThan(300_000)
      }
    })
  )

  it.effect("keeps a tool call from being begun", () =>
    Effect.gen(function* () {
      const parameters = { type: "object", properties: { a: schema }, required: ["a"] }
      const tools = [{ type: "function", name: "f", description: undefined, parameters, strict: undefined } as const]
      const events = yield* run(asking("Go", { tools, toolChoice: { type: "required", names: undefined } }))
      expect(callsIn(events)).toEqual([])
      expect(endOf(events)).toMatchObject({ type: "finished", reason: "max-tokens" })
    })
  )
})

describe("a long answer", () => {
  it.effect("is made as it is read, and lets others have a turn in between", () =>
    Effect.gen(function* () {
      const generation = yield* generate(asking("[[sandbox: tokens=100000]]"))
      expect(generation.next()).toHaveLength(64)
      let isOthersTurn = false
      setImmediate(() => (isOthersTurn = true))
      const second = generation.next()
      expect(second).toBeInstanceOf(Promise)
      yield* Effect.promise(async () => second)
      expect(isOthersTurn).toBe(true)
      generation.cancel()
      expect(generation.next()).toBeUndefined()
    })
  )

  it.effect("takes no turn of the event loop that another long answer has", () =>
    Effect.gen(function* () {
      const generations = yield* Effect.all(
        Array.from({ length: 5 }, () => generate(asking("[[sandbox: tokens=10000]]")))
      )
      for (const generation of generations) void generation.next()
      let turns = 0
      const counting = () => {
        turns++
        if (turns < 100) setImmediate(counting)
      }
      setImmediate(counting)
      yield* Effect.promise(() => Promise.all(generations.map(async (generation) => generation.next())))
      expect(turns).toBeGreaterThanOrEqual(5)
      for (const generation of generations) generation.cancel()
    })
  )

  it.effect("waits for others once it is very long, also after a delay", () =>
    Effect.gen(function* () {
      for (const directive of ["tokens=100000", "tokens=100000 delay=1ms"]) {
        const generation = yield* generate(asking(`[[sandbox: ${directive}]]`))
        yield* Effect.promise(async () => {
          for (let given = 0; given < 1_024; given += 64) await generation.next()
        })
        vi.useFakeTimers({ toFake: ["setTimeout"] })
        came(performance.now() + 60_000)
        const next = Promise.resolve(generation.next())
        const isHere = async () =>
          Promise.race([
            next.then(() => true),
            nextTurn()
              .then(nextTurn)
              .then(() => false)
          ])
        expect(yield* Effect.promise(isHere)).toBe(false)
        vi.advanceTimersByTime(1)
        expect(yield* Effect.promise(() => next)).toHaveLength(64)
        came(-Infinity)
        vi.useRealTimers()
        generation.cancel()
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          came(-Infinity)
          vi.useRealTimers()
        })
      )
    )
  )

  it.effect("comes after tens of thousands of messages and tools' results as after few", () =>
    Effect.gen(function* () {
      const items = Array.from({ length: 50_000 }, (_, index) => [
        said("user", "Hi"),
        { type: "tool-result", callId: `c${index}`, content: [], isError: false } as const
      ]).flat()
      const calls = Array.from({ length: 50_000 }, (_, index) => ({
        type: "tool-call" as const,
        callId: `c${index}`,
        name: "f",
        arguments: "{}",
        kind: "function" as const
      }))
      const events = yield* run({ ...asking(""), items: [...calls, ...items] }, { stream: false })
      expect(endOf(events)).toMatchObject({ type: "finished" })
    })
  )
})
