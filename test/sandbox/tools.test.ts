import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Conversation, FunctionTool, Item, Part } from "../../src/generation/Conversation.ts"
import { countText } from "../../src/tokens/tokens.ts"
import { conversation, said } from "../generation/conversations.ts"
import { asking, callsIn, endOf, run, textIn, usageIn } from "./run.ts"

const tool = (name: string, properties: Readonly<Record<string, unknown>> = {}): FunctionTool => ({
  type: "function",
  name,
  description: undefined,
  parameters: { type: "object", properties, required: Object.keys(properties) },
  strict: undefined
})
const weather = tool("get_weather", { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } })
const time = tool("getCurrentTime", { zone: { type: "string" } })
const custom = { type: "custom", name: "run_query", description: undefined } as const
const names = (given: Conversation) => Effect.map(run(given), (events) => callsIn(events).map((call) => call.name))

describe("the sandbox's tool calls", () => {
  it.effect("calls the tool whose name shares a word with the text, with arguments from its schema", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("What is the weather in Paris in fahrenheit?", { tools: [time, weather] }))
      const [call] = callsIn(events)
      expect(call).toMatchObject({ name: "get_weather", kind: "function" })
      expect(JSON.parse(call?.arguments ?? "")).toEqual({ city: "Paris", unit: "fahrenheit" })
      expect(endOf(events)).toMatchObject({ type: "finished", reason: "tool-calls" })
      expect(textIn(events)).toBe("")
      expect(usageIn(events).outputTokens).toBe(countText("get_weather") + countText(call?.arguments ?? ""))
    })
  )

  it.effect("answers in text when no name fits", () =>
    Effect.gen(function* () {
      expect(yield* names(asking("Tell me a story", { tools: [time, weather] }))).toEqual([])
      expect(yield* names(asking("Get me the story", { tools: [time, weather] }))).toEqual([])
    })
  )

  it.effect("calls two fitting tools in one turn, one where only one at a time is allowed", () =>
    Effect.gen(function* () {
      const given = asking("The weather in Oslo and the time there", { tools: [weather, time] })
      const calls = callsIn(yield* run(given))
      expect(calls.map((call) => call.name)).toEqual(["get_weather", "getCurrentTime"])
      expect(new Set(calls.map((call) => call.callId)).size).toBe(2)
      expect(yield* names({ ...given, parallelToolCalls: false })).toEqual(["get_weather"])
    })
  )

  it.effect("obeys the tool choice", () =>
    Effect.gen(function* () {
      const given = asking("Tell me a story", { tools: [weather, time] })
      expect(yield* names({ ...given, toolChoice: { type: "required", names: undefined } })).toEqual(["get_weather"])
      const chosen = { type: "required", names: ["getCurrentTime"] } as const
      expect(yield* names({ ...given, toolChoice: chosen })).toEqual(["getCurrentTime"])
      expect(yield* names({ ...given, toolChoice: { type: "tool", name: "getCurrentTime" } })).toEqual([
        "getCurrentTime"
      ])
      const wet = asking("What is the weather?", { tools: [weather], toolChoice: { type: "none" } })
      expect(yield* names(wet)).toEqual([])
    })
  )

  it.effect("calls the tools a directive names", () =>
    Effect.gen(function* () {
      const given = asking("[[sandbox: tool=getCurrentTime,get_weather]] Go", { tools: [weather, time] })
      expect(yield* names(given)).toEqual(["getCurrentTime", "get_weather"])
    })
  )

  it.effect("gives a custom tool free text", () =>
    Effect.gen(function* () {
      const [call] = callsIn(yield* run(asking("Run a query: select 1", { tools: [custom] })))
      expect(call).toMatchObject({ name: "run_query", kind: "custom", arguments: "Run a query: select 1" })
    })
  )

  it.effect("does not begin a call that does not fit the token limit", () =>
    Effect.gen(function* () {
      const events = yield* run(asking("The weather?", { tools: [weather], maxOutputTokens: 3 }))
      expect(callsIn(events)).toEqual([])
      expect(endOf(events)).toMatchObject({ reason: "max-tokens" })
    })
  )
})

describe("the sandbox after a tool's result", () => {
  const after = (content: ReadonlyArray<Part>, isError = false): ReadonlyArray<Item> => [
    said("user", "What is the weather in Paris?"),
    { type: "tool-call", callId: "call_1", name: "get_weather", arguments: "{}", kind: "function" },
    { type: "tool-result", callId: "call_1", content, isError }
  ]
  const sunny = [{ type: "text", text: "21 degrees, sunny" }] as const

  it.effect("answers in text that quotes it", () =>
    Effect.gen(function* () {
      const events = yield* run(conversation({ items: after(sunny), tools: [weather] }))
      expect(callsIn(events)).toEqual([])
      expect(textIn(events)).toBe('The tool get_weather answered: "21 degrees, sunny".')
      expect(endOf(events)).toMatchObject({ reason: "stop" })
    })
  )

  it.effect("says that it failed", () =>
    Effect.gen(function* () {
      const events = yield* run(conversation({ items: after(sunny, true), tools: [weather] }))
      expect(textIn(events)).toContain("get_weather failed")
    })
  )

  it.effect("quotes every one of parallel results", () =>
    Effect.gen(function* () {
      const items = [
        ...after(sunny),
        { type: "tool-result", callId: "call_0", content: [{ type: "text", text: "noon" }], isError: false } as const
      ]
      const text = textIn(yield* run(conversation({ items, tools: [weather] })))
      expect(text).toContain("sunny")
      expect(text).toContain("noon")
    })
  )

  it.effect("calls again, under another id, for the next question", () =>
    Effect.gen(function* () {
      const first = asking("What is the weather?", { tools: [weather] })
      const [before] = callsIn(yield* run(first))
      const items = [...first.items, ...after(sunny).slice(1), said("assistant", "Sunny"), ...first.items]
      const [again] = callsIn(yield* run({ ...first, items }))
      expect(again?.name).toBe("get_weather")
      expect(again?.callId).not.toBe(before?.callId)
    })
  )
})
