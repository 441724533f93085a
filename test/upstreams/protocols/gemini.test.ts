import { describe, expect, it } from "@effect/vitest"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import { signedTextId } from "../../../src/generation/signedText.ts"
import { gemini } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { modelIds } from "../../../src/upstreams/protocols/gemini/modelIds.ts"
import { assistant, call, conversation, result, search, system, thought, user, weather } from "../conversations.ts"

const flash = "gemini-3.8-flash"
const lower = (over: Partial<Conversation>, model = flash, signatures: ReadonlyArray<readonly [string, string]> = []) =>
  gemini.lower(conversation(over), { model, stream: true, callSignatures: new Map(signatures) })

const standIn = "skip_thought_signature_validator"

describe("gemini requests", () => {
  it("makes turns of two roles, results first, system text on top or marked", () => {
    const { adapted, body } = lower({
      system: ["Be brief."],
      items: [
        system("Be kind."),
        user("Weather?"),
        thought("two cities"),
        assistant("Looking."),
        call("call_1", "get_weather", '{"city":"Paris"}'),
        call("call_2", "get_weather", ""),
        user("Hurry!"),
        system("They are in a hurry."),
        result("call_1", "sunny"),
        result("call_2", "no such city", true)
      ]
    })
    expect(body["systemInstruction"]).toEqual({ parts: [{ text: "Be brief." }, { text: "Be kind." }] })
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Weather?" }] },
      {
        role: "model",
        parts: [
          { text: "Looking." },
          {
            functionCall: { id: "call_1", name: "get_weather", args: { city: "Paris" } },
            thoughtSignature: standIn
          },
          { functionCall: { id: "call_2", name: "get_weather", args: {} } }
        ]
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_1", name: "get_weather", response: { output: "sunny" } } },
          { functionResponse: { id: "call_2", name: "get_weather", response: { error: "no such city" } } },
          { text: "Hurry!" },
          { text: "<system>\nThey are in a hurry.\n</system>" }
        ]
      }
    ])
    expect(adapted).toEqual([])
  })

  it("the model and the way of answering are in the path alone", () => {
    const { body } = lower({ items: [user("Hi")] }, "models/gemini-3.8-flash")
    const sent = gemini.endpoint.placed?.({ body, headers: undefined }, gemini.endpoint.path)
    expect(sent).toEqual({
      path: "/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
      headers: undefined,
      body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }
    })
    const whole = gemini.endpoint.placed?.(
      { body: { ...body, stream: false }, headers: undefined },
      gemini.endpoint.path
    )
    expect(whole?.path).toBe("/models/gemini-3.8-flash:generateContent")
  })

  it("signatures go back into the very parts they came with", () => {
    const text = "Hello there"
    const items = [
      user("Hi"),
      assistant(text),
      user("Go on"),
      call("c1", "f", "{}"),
      call("c2", "f", "{}"),
      result("c1", "a"),
      result("c2", "b"),
      call("c3", "f", "{}"),
      result("c3", "c")
    ]
    const parts = (signatures: ReadonlyArray<readonly [string, string]>, model?: string) =>
      (lower({ items }, model, signatures).body["contents"] as ReadonlyArray<{ role: string; parts: unknown }>)
        .filter(({ role }) => role === "model")
        .map(({ parts }) => parts)
    const signed = [
      ["c1", "sig-1"],
      ["c3", "sig-3"]
    ] as const
    const calls = [
      [
        { functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "sig-1" },
        { functionCall: { id: "c2", name: "f", args: {} } }
      ],
      [{ functionCall: { id: "c3", name: "f", args: {} }, thoughtSignature: "sig-3" }]
    ]
    const empty = [signedTextId(text), `${text.length}-${text.length}.a.b=`] as const
    expect(parts([...signed, empty])).toEqual([[{ text }, { text: "", thoughtSignature: "a.b=" }], ...calls])
    const within = [signedTextId(text), "0-5.x"] as const
    expect(parts([...signed, within])).toEqual([
      [{ text: "Hello", thoughtSignature: "x" }, { text: " there" }],
      ...calls
    ])
    // Models that do not sign get no stand-in.
    expect(JSON.stringify(parts([], "gemini-2.5-flash"))).not.toContain("thoughtSignature")
  })

  it("a request that is refused for its signatures can go without them", () => {
    const items = [user("Hi"), call("c1", "f", "{}"), call("c2", "f", "{}"), result("c1", "a"), result("c2", "b")]
    const { body } = lower({ items }, flash, [["c1", "sig-1"]])
    const without = gemini.unsigned?.(body, "Corrupted thought signature.")
    expect(without?.["contents"]).toMatchObject([
      {},
      {
        parts: [{ functionCall: { id: "c1" }, thoughtSignature: standIn }, { functionCall: { id: "c2" } }]
      },
      { parts: [{ functionResponse: { id: "c1" } }, { functionResponse: { id: "c2" } }] }
    ])
    expect(gemini.unsigned?.(body, "Invalid value at 'contents'")).toBeUndefined()
    expect(gemini.unsigned?.(without ?? {}, "Corrupted thought signature.")).toBeUndefined()
  })

  it("tools keep their JSON Schema, and the choice among them", () => {
    const strict = { ...weather, name: "look.up", strict: true }
    const { adapted, body } = lower({ tools: [weather, strict] })
    expect(body["tools"]).toEqual([
      {
        functionDeclarations: [
          { name: "get_weather", description: "The weather", parametersJsonSchema: weather.parameters },
          { name: "look_up", description: "The weather", parametersJsonSchema: weather.parameters }
        ]
      }
    ])
    expect(adapted).toEqual([])
    const config = (over: Partial<Conversation>) => lower({ tools: [weather], ...over }).body["toolConfig"]
    expect(config({})).toBeUndefined()
    expect(config({ tools: [strict] })).toEqual({ functionCallingConfig: { mode: "VALIDATED" } })
    expect(config({ toolChoice: { type: "none" } })).toEqual({ functionCallingConfig: { mode: "NONE" } })
    expect(config({ toolChoice: { type: "required", names: undefined } })).toEqual({
      functionCallingConfig: { mode: "ANY" }
    })
    expect(config({ tools: [strict, weather], toolChoice: { type: "tool", name: "look.up" } })).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look_up"] }
    })
    expect(lower({ tools: [weather], parallelToolCalls: false }).adapted).toEqual(["parallel_tool_calls"])
  })

  it("searches by Google, before Gemini 3 alone: beside functions the search is left out and named", () => {
    const alone = lower({ tools: [{ ...search, maxUses: 2, allowedDomains: ["a.com"] }] })
    expect(alone.body["tools"]).toEqual([{ googleSearch: {} }])
    expect(alone.adapted).toEqual(["allowed_domains", "max_uses"])
    const beside = lower({ tools: [search, weather] }, "gemini-2.5-flash")
    expect(beside.body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "get_weather" }] }])
    expect(beside.adapted).toEqual(["tools.web_search"])
    const forced = lower({ tools: [search, weather], toolChoice: { type: "tool", name: "web_search" } })
    expect(forced.body["tools"]).toEqual([{ googleSearch: {} }])
    expect(forced.adapted).toEqual(["tool_choice"])
  })

  it("structured output, bounds, sampling and five stop sequences", () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", maxLength: 9 } },
      required: ["city"],
      additionalProperties: false
    }
    const { adapted, body, stops } = lower({
      maxOutputTokens: 50,
      sampling: { temperature: 1.5, topP: 0.9, topK: 3 },
      stopSequences: ["a", "b", "c", "d", "e", "f"],
      format: { type: "json-schema", name: "answer", description: undefined, schema, strict: true }
    })
    expect(body["generationConfig"]).toEqual({
      maxOutputTokens: 50,
      temperature: 1.5,
      topP: 0.9,
      topK: 3,
      stopSequences: ["a", "b", "c", "d", "e"],
      responseMimeType: "application/json",
      responseJsonSchema: {
        ...schema,
        properties: { city: { type: "string", description: "{maxLength: 9}" } }
      }
    })
    expect([adapted, stops]).toEqual([["text.format"], ["f"]])
    expect(lower({ format: { type: "json" } }).body["generationConfig"]).toEqual({
      responseMimeType: "application/json"
    })
  })

  it("names what it has no field for", () => {
    const { adapted } = lower({
      endUser: "u1",
      cacheKey: "k",
      items: [user("a"), thought("elsewhere", "EqQB"), assistant("b"), user("c")]
    })
    expect(adapted).toEqual(["prompt_cache_key", "user", "reasoning"])
  })
})

it("the list of models has those that answer or embed, without their prefix", () => {
  const models = [
    { name: "models/gemini-3.8-flash", supportedGenerationMethods: ["generateContent", "countTokens"] },
    { name: "models/gemini-embedding-2", supportedGenerationMethods: ["embedContent"] },
    { name: "models/veo-4", supportedGenerationMethods: ["predictLongRunning"] }
  ]
  expect(modelIds({ models })).toEqual(["gemini-3.8-flash", "gemini-embedding-2"])
  expect(modelIds({ data: [] })).toBeUndefined()
})
