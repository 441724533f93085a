import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import { gemini, geminiAt } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { TakenIds } from "../../../src/upstreams/protocols/callIds.ts"
import { call, conversation, result, search, user, weather } from "../conversations.ts"
import { outcome, streamed } from "../events.ts"

const vertex = geminiAt("https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google")

const configured = (model: string, over: Partial<Conversation>, protocol = gemini) => {
  const { adapted, body } = protocol.lower(conversation(over), { model, stream: false })
  return [body["generationConfig"], adapted]
}

describe("fields of chat completions at Gemini", () => {
  it("the seed goes to all models", () => {
    expect(configured("gemini-2.5-pro", { seed: 7 })).toEqual([{ seed: 7 }, []])
  })

  it("penalties go to the models that have them, and are named at others", () => {
    const penalties = { frequency: 0.5, presence: -1 }
    expect(configured("gemini-2.0-flash", { penalties })).toEqual([{ frequencyPenalty: 0.5, presencePenalty: -1 }, []])
    for (const model of ["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-4-argon"]) {
      expect(configured(model, { penalties })).toEqual([undefined, ["frequency_penalty", "presence_penalty"]])
    }
  })

  it("log probabilities are asked for where model and place tell them", () => {
    const logprobs = { value: 3, param: "logprobs" }
    const asked = [{ responseLogprobs: true, logprobs: 3 }, []]
    const named = [undefined, ["logprobs"]]
    expect(configured("gemini-2.0-flash", { logprobs })).toEqual(asked)
    expect(configured("gemini-2.5-flash", { logprobs }, vertex)).toEqual(asked)
    expect(configured("gemini-2.5-flash", { logprobs })).toEqual(named)
    expect(configured("gemini-3.5-flash", { logprobs }, vertex)).toEqual(named)
  })

  it("log probabilities are told as OpenAI tells them, with the text of their frame", () => {
    const token = (token: string, logProbability: number) => ({ token, logProbability, tokenId: 1 })
    const frame = (text: string): JsonObject => ({
      candidates: [
        {
          content: { role: "model", parts: [{ text }] },
          logprobsResult: {
            chosenCandidates: [token(text, -0.5)],
            topCandidates: [{ candidates: [token(text, -0.5), token("x", -2)] }]
          }
        }
      ]
    })
    const events = streamed(gemini, [frame("é"), frame("b"), { candidates: [{ finishReason: "STOP" }] }])
    const told = events.flatMap((event) => (event.type === "text-delta" ? [event.logprobs] : []))
    const x = { token: "x", logprob: -2, bytes: [120] }
    const [e, b] = [
      { token: "é", logprob: -0.5, bytes: [195, 169] },
      { token: "b", logprob: -0.5, bytes: [98] }
    ]
    expect(told).toEqual([[{ ...e, top_logprobs: [e, x] }], [{ ...b, top_logprobs: [b, x] }]])
  })

  it("images are asked for of the models that make them", () => {
    const modalities = ["text", "image"]
    expect(configured("gemini-2.5-flash-image", { modalities })).toEqual([
      { responseModalities: ["TEXT", "IMAGE"] },
      []
    ])
    expect(configured("gemini-2.5-flash", { modalities })).toEqual([undefined, ["modalities"]])
    expect(configured("gemini-2.5-flash-image", { modalities: ["text", "audio"] })).toEqual([undefined, ["modalities"]])
  })
})

describe("Google's search beside functions", () => {
  const tools = [weather, search]
  const asked = (model: string, protocol = gemini) => {
    const { adapted, body } = protocol.lower(conversation({ tools }), { model, stream: false })
    return { adapted, tools: body["tools"] as ReadonlyArray<JsonObject>, config: body["toolConfig"] }
  }

  it("goes with them from Gemini 3 on at Google's API", () => {
    const { adapted, config, tools } = asked("gemini-3.8-flash")
    expect(tools).toEqual([{ functionDeclarations: [expect.anything()], googleSearch: {} }])
    expect([config, adapted]).toEqual([{ includeServerSideToolInvocations: true }, []])
  })

  it.each([
    ["an older model", "gemini-2.5-flash", gemini],
    ["a model at Vertex", "gemini-3.8-flash", vertex]
  ] as const)("is left out and named for %s", (_, model, protocol) => {
    const { adapted, config, tools } = asked(model, protocol)
    expect([config, adapted]).toEqual([undefined, ["tools.web_search"]])
    expect(tools).toEqual([{ functionDeclarations: [expect.anything()] }])
  })

  it("is told and counted, and comes back in front of the function's call", () => {
    const searched = [
      {
        toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["a", "b"] } },
        thoughtSignature: "s1"
      },
      { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: {} } }
    ]
    const functionCall = { id: "f1", name: "get_weather", args: {} }
    const events = streamed(
      gemini,
      [
        {
          candidates: [
            { content: { parts: [...searched, { functionCall, thoughtSignature: "s2" }] }, finishReason: "STOP" }
          ],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
          responseId: "r"
        }
      ],
      { asked: { tools } }
    )
    const { items, usage } = outcome(events)
    expect(items).toMatchObject([
      { type: "search", query: "a; b" },
      { type: "tool-call", callId: "f1" }
    ])
    expect(usage?.searches).toBe(2)
    const kept = events.find((event) => event.type === "tool-call-signed")
    if (kept?.type !== "tool-call-signed") throw new Error("no signature was kept")
    const { body } = gemini.lower(
      conversation({ tools, items: [user("Hi"), call("f1", "get_weather", "{}"), result("f1", "sunny")] }),
      { model: "gemini-3.8-flash", stream: false, callSignatures: new Map([[kept.callId, kept.signature]]) }
    )
    expect((body["contents"] as ReadonlyArray<JsonObject>)[1]).toEqual({
      role: "model",
      parts: [...searched, { functionCall, thoughtSignature: "s2" }]
    })
    expect(JSON.stringify(gemini.unsigned?.(body, "Corrupted thought signature."))).not.toContain("toolCall")
  })
})

it("arguments that are no object are kept as text, and named", () => {
  const items = [user("Hi"), call("f1", "get_weather", "{'city': 'Paris'}"), result("f1", "sunny")]
  const { adapted, body } = gemini.lower(conversation({ items, tools: [weather] }), {
    model: "gemini-3.8-flash",
    stream: false
  })
  expect(adapted).toEqual(["arguments"])
  expect(JSON.stringify(body)).toContain(JSON.stringify({ INVALID_JSON: "{'city': 'Paris'}" }))
})

it("ids that count the calls of one answer are made unique across turns", () => {
  const turns = ["r1", "r2", ""].map((answer) => {
    const ids = new TakenIds()
    return ["call__0", "tool_1_get_weather", "", "toolu_01"].map((id) => ids.fresh(id, answer))
  })
  const [first, second, third] = turns
  expect(first).toEqual(["call_r1_0", "call_r1_1", "call_r1_2", "toolu_01"])
  expect(second?.slice(0, 3)).toEqual(["call_r2_0", "call_r2_1", "call_r2_2"])
  expect(new Set(turns.flat()).size).toBe(10)
  expect(third?.[0]).toMatch(/^call_[0-9a-f]{32}_0$/)
})
