import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Item } from "../../src/generation/Conversation.ts"
import { countText, countTokens } from "../../src/tokens/tokens.ts"
import { conversation, said } from "../generation/conversations.ts"
import { asking, endOf, generate, reasoningIn, run, textIn, usageIn } from "./run.ts"

describe("the sandbox's answer", () => {
  it.effect("echoes a short question in fewer than 60 tokens and ends by itself", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("What is the capital of France?", { system: ["You are a helpful assistant."] }))
      expect(textIn(events)).toContain("What is the capital of France?")
      expect(usageIn(events).outputTokens).toBeLessThan(60)
      expect(endOf(events)).toEqual({ type: "finished", reason: "stop", stopSequence: null })
    })
  )

  it.effect("is the same for the same input, streamed or not", () =>
    Effect.gen(function* () {
      const given = asking("Search the web for Mars and tell me", {
        tools: [
          {
            type: "search",
            name: "web_search",
            allowedDomains: undefined,
            blockedDomains: undefined,
            maxUses: undefined,
            contextSize: "medium",
            location: undefined
          }
        ],
        reasoning: { enabled: true, effort: "high", budgetTokens: 1_024, summary: "auto" }
      })
      const once = yield* run(given)
      expect(yield* run(structuredClone(given))).toEqual(once)
      const whole = yield* run(given, { stream: false })
      expect(textIn(whole)).toBe(textIn(once))
      expect(reasoningIn(whole)).toBe(reasoningIn(once))
      expect(usageIn(whole)).toEqual(usageIn(once))
    })
  )

  it.effect("is there at once, without a promise", () =>
    Effect.gen(function* () {
      const generation = yield* generate(asking("Hello"))
      expect(Array.isArray(generation.next())).toBe(true)
      expect(generation.next()).toBeUndefined()
    })
  )

  it.effect("comes word by word in a stream and in one piece otherwise", () =>
    Effect.gen(function* () {
      const deltas = (events: ReadonlyArray<{ readonly type: string }>) =>
        events.filter((event) => event.type === "text-delta").length
      expect(deltas(yield* run(asking("one two three four")))).toBeGreaterThan(4)
      expect(deltas(yield* run(asking("one two three four"), { stream: false }))).toBe(1)
    })
  )

  it.effect("hands a long answer over in batches", () =>
    Effect.gen(function* () {
      const generation = yield* generate(asking("[[sandbox: tokens=1000]]"))
      const first = generation.next()
      expect(Array.isArray(first) && first.length).toBeLessThanOrEqual(256)
    })
  )

  it.effect("tells what was said before and its instructions", () =>
    Effect.gen(function* () {
      const items = [said("user", "My name is Ada"), said("assistant", "Hello Ada"), said("user", "Who am I?")]
      const text = textIn(yield* run(conversation({ items, system: ["Be brief."] })))
      expect(text).toContain('You said: "Who am I?"')
      expect(text).toContain("My name is Ada")
      expect(text).toContain("Be brief.")
    })
  )

  it.effect("tells what it does not know to say", () =>
    Effect.gen(function* () {
      expect(textIn(yield* run(asking("")))).toBe("You sent no text.")
    })
  )
})

describe("the sandbox's limits", () => {
  it.effect("stops at the token limit, exactly", () =>
    Effect.gen(function* () {
      for (const maxOutputTokens of [1, 2, 5, 7]) {
        const events = yield* run(asking("supercalifragilistic expialidocious things", { maxOutputTokens }))
        expect(endOf(events)).toMatchObject({ type: "finished", reason: "max-tokens" })
        expect(usageIn(events).outputTokens).toBe(maxOutputTokens)
        expect(countText(textIn(events))).toBeLessThanOrEqual(maxOutputTokens)
      }
    })
  )

  it.effect("does not stop when the answer has just as many tokens as allowed", () =>
    Effect.gen(function* () {
      const free = yield* run(asking("Hello there"))
      const { outputTokens } = usageIn(free)
      const limited = yield* run(asking("Hello there", { maxOutputTokens: outputTokens }))
      expect(textIn(limited)).toBe(textIn(free))
      expect(endOf(limited)).toMatchObject({ reason: "stop" })
    })
  )

  it.effect("stops before the first stop sequence and names it", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("alpha END beta STOP gamma", { stopSequences: ["STOP", "END"] }))
      expect(textIn(events)).toBe('You said: "alpha ')
      expect(endOf(events)).toEqual({ type: "finished", reason: "stop-sequence", stopSequence: "END" })
    })
  )

  it.effect("lets the token limit win over a later stop sequence", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("a b c d e f g h END", { stopSequences: ["END"], maxOutputTokens: 5 }))
      expect(endOf(events)).toEqual({ type: "finished", reason: "max-tokens", stopSequence: null })
    })
  )

  it.effect("counts input and output with the tokenizer", () =>
    Effect.gen(function* () {
      const given = asking("How many tokens is this?")
      const events = yield* run(given)
      expect(usageIn(events)).toEqual({
        inputTokens: countTokens(given),
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: countText(textIn(events)),
        reasoningTokens: 0,
        searches: 0
      })
      expect(events[0]).toMatchObject({ type: "started", usage: { inputTokens: countTokens(given) } })
    })
  )
})

describe("the sandbox's reasoning", () => {
  const reasoning = { enabled: true, effort: "high", budgetTokens: 1_024, summary: "auto" } as const

  it.effect("comes first, signed, and is counted", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("Think about it", { reasoning }))
      const types = events.map((event) => event.type)
      expect(types.indexOf("reasoning-end")).toBeLessThan(types.indexOf("text-start"))
      expect(events.find((event) => event.type === "reasoning-end")).toMatchObject({
        signature: expect.stringMatching(/.+/)
      })
      expect(usageIn(events).reasoningTokens).toBe(countText(reasoningIn(events)))
      expect(usageIn(events).outputTokens).toBe(countText(reasoningIn(events)) + countText(textIn(events)))
    })
  )

  it.effect("stays within its budget and leaves room for the answer", () =>
    Effect.gen(function* () {
      const tight = yield* run(asking("Think", { reasoning: { ...reasoning, budgetTokens: 8 } }))
      expect(usageIn(tight).reasoningTokens).toBeLessThanOrEqual(8)
      const small = yield* run(asking("Think", { reasoning, maxOutputTokens: 16 }))
      expect(usageIn(small).reasoningTokens).toBeLessThanOrEqual(8)
      expect(textIn(small)).not.toBe("")
    })
  )

  it.effect("grows with the effort and is off without any", () =>
    Effect.gen(function* () {
      const tokens = (effort: "none" | "low" | "high" | undefined) =>
        Effect.map(
          run(asking("Think", { reasoning: { enabled: undefined, effort, budgetTokens: undefined, summary: "auto" } })),
          (events) => usageIn(events).reasoningTokens
        )
      expect(yield* tokens(undefined)).toBe(0)
      expect(yield* tokens("none")).toBe(0)
      expect(yield* tokens("low")).toBeGreaterThan(0)
      expect(yield* tokens("high")).toBeGreaterThan(yield* tokens("low"))
    })
  )

  it.effect("is not readable where no summary is wanted, but counted and signed", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("Think", { reasoning: { ...reasoning, summary: undefined } }))
      expect(reasoningIn(events)).toBe("")
      expect(usageIn(events).reasoningTokens).toBeGreaterThan(0)
      expect(events.some((event) => event.type === "reasoning-end" && event.signature !== undefined)).toBe(true)
    })
  )

  it.effect("is accepted back", () =>
    Effect.gen(function* () {
      const replayed: ReadonlyArray<Item> = [
        said("user", "Think"),
        { type: "reasoning", text: "Hm", signature: "c2ln", redacted: undefined },
        { type: "reasoning", text: "", signature: undefined, redacted: "b3BhcXVl" },
        said("assistant", "Done"),
        said("user", "And now?")
      ]
      expect(textIn(yield* run(conversation({ items: replayed, reasoning })))).toContain("And now?")
    })
  )
})

describe("the sandbox's structured output", () => {
  it.effect("is JSON where JSON is asked for", () =>
    Effect.gen(function* () {
      const events = yield* run(asking('Say "hi"', { format: { type: "json" } }))
      expect(JSON.parse(textIn(events))).toMatchObject({ answer: expect.stringContaining("hi") })
    })
  )

  it.effect("follows the schema", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: {
          name: { type: "string" },
          age: { type: "integer", minimum: 18 },
          mood: { enum: ["sad", "happy"] }
        },
        required: ["name", "age", "mood"],
        additionalProperties: false
      }
      const format = { type: "json-schema", name: "person", description: undefined, schema, strict: true } as const
      const value = JSON.parse(textIn(yield* run(asking("The happy Ada is 36", { format }))))
      expect(value).toEqual({ name: "Ada", age: 36, mood: "happy" })
    })
  )
})
