import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { signedTextId } from "../../../src/generation/signedText.ts"
import { gemini } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { weather } from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"

const frame = (parts: ReadonlyArray<JsonObject>, rest: JsonObject = {}, around: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
  modelVersion: "gemini-3.8-flash",
  responseId: "r1",
  ...around
})
const stopped = { finishReason: "STOP" }
const seen = (frames: ReadonlyArray<JsonObject>, asked = {}) => streamed(gemini, frames, { marked: false, asked })
const ending = (finishReason: string, parts: ReadonlyArray<JsonObject> = [{ text: "a" }]) =>
  outcome(seen([frame(parts, { finishReason })])).ending

describe("gemini answers", () => {
  it("thoughts, text and parallel calls, the same whole and streamed", () => {
    const parts = [
      { text: "The user greets me.", thought: true },
      { text: "Hello" },
      { text: " there" },
      { functionCall: { id: "f1", name: "get_weather", args: { city: "Paris" } }, thoughtSignature: "sig" },
      { functionCall: { name: "get_weather", args: { city: "Rome" } } },
      { functionCall: { name: "get_weather" } }
    ]
    const usageMetadata = {
      promptTokenCount: 20,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 8,
      thoughtsTokenCount: 3,
      toolUsePromptTokenCount: 2,
      totalTokenCount: 33
    }
    const asked = { tools: [weather] }
    const whole = answered(gemini, frame(parts, stopped, { usageMetadata }), asked)
    const pieces = seen(
      [
        ...parts.map((part) => frame([part], {}, { usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 } })),
        frame([], stopped, { usageMetadata })
      ],
      asked
    )
    expect(outcome(whole)).toEqual(outcome(pieces))
    expect(outcome(whole)).toEqual({
      items: [
        { type: "reasoning", text: "The user greets me." },
        { type: "text", text: "Hello there" },
        { type: "tool-call", callId: "f1", name: "get_weather", kind: "function", text: '{"city":"Paris"}' },
        { type: "tool-call", callId: "call_r1_1", name: "get_weather", kind: "function", text: '{"city":"Rome"}' },
        { type: "tool-call", callId: "call_r1_2", name: "get_weather", kind: "function", text: "{}" }
      ],
      // A call ends with STOP too.
      ending: { reason: "tool-calls", stopSequence: null },
      usage: {
        inputTokens: 17,
        cacheReadTokens: 5,
        cacheWriteTokens: 0,
        outputTokens: 11,
        reasoningTokens: 3,
        searches: 0
      }
    })
    expect(whole.filter(({ type }) => type === "tool-call-signed")).toEqual([
      { type: "tool-call-signed", callId: "f1", signature: "sig" }
    ])
  })

  it("a signed text is kept under the text, with the place of its part", () => {
    const signed = (frames: ReadonlyArray<JsonObject>) =>
      seen(frames).filter(({ type }) => type === "tool-call-signed" || type === "finished")
    const end = { type: "finished", reason: "stop", stopSequence: null }
    const empty = [
      frame([{ text: "Hel" }]),
      frame([{ text: "lo" }]),
      frame([{ text: "", thoughtSignature: "s" }], stopped)
    ]
    expect(signed(empty)).toEqual([
      { type: "tool-call-signed", callId: signedTextId("Hello"), signature: "5-5.s" },
      end
    ])
    const last = [frame([{ text: "Hel" }]), frame([{ text: "lo", thoughtSignature: "s" }], stopped)]
    expect(signed(last)).toEqual([{ type: "tool-call-signed", callId: signedTextId("Hello"), signature: "3-5.s" }, end])
  })

  it("every finish reason", () => {
    const finished = (reason: string) => ({ reason, stopSequence: null })
    expect(ending("STOP")).toEqual(finished("stop"))
    expect(ending("MAX_TOKENS")).toEqual(finished("max-tokens"))
    for (const reason of ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"]) {
      expect(ending(reason)).toEqual(finished("refusal"))
    }
    for (const reason of ["MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"]) {
      expect(ending(reason)).toEqual(finished("refusal"))
    }
    const failing = ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]
    for (const reason of [...failing, "MISSING_THOUGHT_SIGNATURE", "NO_IMAGE", "IMAGE_OTHER"]) {
      expect(ending(reason)).toMatchObject({ failed: "UpstreamFailed" })
    }
    const other = seen([frame([{ text: "a" }], { finishReason: "OTHER" })])
    expect(other.at(-1)).toMatchObject({ type: "finished", reason: "stop", unknownReason: "OTHER" })
    const malformed = seen([frame([], { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "call:f(" })])
    expect(malformed.at(-1)).toMatchObject({ type: "failed", said: "MALFORMED_FUNCTION_CALL: call:f(" })
  })

  it("a blocked prompt is a refusal, though it is a 200 without candidates", () => {
    const blocked = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 }
    }
    expect(outcome(answered(gemini, blocked))).toMatchObject({
      items: [],
      ending: { reason: "refusal" },
      usage: { inputTokens: 7, outputTokens: 0 }
    })
    expect(outcome(seen([blocked])).ending).toMatchObject({ reason: "refusal" })
  })

  it("a stream without a finish reason broke off; one without candidates is no answer", () => {
    expect(outcome(seen([frame([{ text: "a" }])])).ending).toMatchObject({
      message: "The model's upstream ended before its answer did"
    })
    expect(outcome(seen([])).ending).toMatchObject({ failed: "UpstreamFailed" })
    expect(gemini.frames({ nothing: "of use" })).toBeUndefined()
  })

  it("an error inside an answer has its meaning, and the delay that it names", () => {
    const error = {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "You exceeded your current quota.",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.2s" }]
    }
    expect(seen([frame([{ text: "a" }]), { error }]).at(-1)).toMatchObject({
      type: "failed",
      trouble: "saturated",
      failure: { _tag: "RateLimited", retryAfterSeconds: 35 }
    })
    expect(answered(gemini, { error: { ...error, code: 400, status: "INVALID_ARGUMENT", details: [] } })).toMatchObject(
      [{ type: "failed", failure: { _tag: "InvalidRequest", message: "You exceeded your current quota." } }]
    )
  })

  const groundingMetadata = {
    webSearchQueries: ["hello", "wörld"],
    groundingChunks: [
      { web: { uri: "https://a.com", title: "A" } },
      { web: { uri: "https://b.com", title: "B" } },
      { retrievedContext: { uri: "gs://c" } }
    ],
    groundingSupports: [
      { segment: { endIndex: 7, text: "Wörld!" }, groundingChunkIndices: [0, 2] },
      { segment: { startIndex: 8, endIndex: 13, text: "🦊." }, groundingChunkIndices: [0, 1] },
      { segment: { startIndex: 8, endIndex: 99, text: "beyond" }, groundingChunkIndices: [1] }
    ]
  }
  const cites = (url: string, title: string, citedText: string, start: number, end: number) => ({
    url,
    title,
    citedText,
    start,
    end
  })

  it("what it found by a search is a search and citations, whose places count UTF-16 units", () => {
    const text = "Wörld! 🦊."
    const found = {
      type: "search",
      query: "hello; wörld",
      outcome: { results: [{ url: "https://a.com" }, { url: "https://b.com" }] }
    }
    const cited = {
      type: "text",
      text,
      citations: [
        cites("https://a.com", "A", "Wörld!", 0, 6),
        cites("https://a.com", "A", "🦊.", 7, 10),
        cites("https://b.com", "B", "🦊.", 7, 10)
      ]
    }
    const whole = outcome(
      answered(gemini, frame([{ text }], { ...stopped, groundingMetadata }, { usageMetadata: { promptTokenCount: 1 } }))
    )
    expect(whole.items).toMatchObject([found, cited])
    expect(whole.usage?.searches).toBe(2)
    // In a stream, the text is told before the search is known.
    expect(outcome(seen([frame([{ text }]), frame([], { ...stopped, groundingMetadata })])).items).toMatchObject([
      cited,
      found
    ])
  })

  it("cites behind code too, which the places do not count", () => {
    const parts = [
      { text: "Wörld!" },
      { executableCode: { language: "PYTHON", code: "1 + 1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
      { text: " 🦊." }
    ]
    for (const events of [
      answered(gemini, frame(parts, { ...stopped, groundingMetadata })),
      seen([...parts.map((part) => frame([part])), frame([], { ...stopped, groundingMetadata })])
    ]) {
      const text = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")
      const cited = events.flatMap((event) => (event.type === "citation" ? [event.citation] : []))
      expect(text).toContain("1 + 1")
      expect(cited.map(({ end, start }) => text.slice(start, end))).toEqual(["Wörld!", "🦊.", "🦊."])
    }
  })

  it("counts places in bytes of UTF-8 of any text (property)", () => {
    const unit = fc.constantFrom("a", "é", "漢", "🦊", "\ud83e", "\udd8a", "\n")
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), fc.array(fc.nat(70), { maxLength: 8 }), (units, places) => {
        const text = units.join("")
        const metadata = {
          ...groundingMetadata,
          groundingSupports: places.map((startIndex) => ({
            segment: { startIndex, endIndex: Buffer.byteLength(text) },
            groundingChunkIndices: [0]
          }))
        }
        const events = answered(gemini, frame([{ text }], { ...stopped, groundingMetadata: metadata }))
        const starts = events.flatMap((event) => (event.type === "citation" ? [event.citation.start] : []))
        // The place of each character of the text, by each of its bytes.
        const offsets = Array.from(text).flatMap((character, at, all) =>
          Array.from({ length: Buffer.byteLength(character) }, () => all.slice(0, at).join("").length)
        )
        expect(starts).toEqual(places.flatMap((place) => offsets[place] ?? []))
      })
    )
  })

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "no address",
    `https://a.com/${"x".repeat(9_000)}`
  ])("a page at %.40s is neither a result nor a citation, and the others keep their places", (uri) => {
    const chunks = [{ web: { uri, title: "A" } }, ...groundingMetadata.groundingChunks.slice(1)]
    const events = answered(
      gemini,
      frame([{ text: "Wörld! 🦊." }], {
        ...stopped,
        groundingMetadata: { ...groundingMetadata, groundingChunks: chunks }
      })
    )
    expect(JSON.stringify(events)).not.toContain(JSON.stringify(uri).slice(1, -1))
    expect(outcome(events).items).toMatchObject([
      { outcome: { results: [{ url: "https://b.com" }] } },
      { citations: [cites("https://b.com", "B", "🦊.", 7, 10)] }
    ])
  })

  it("models before the third generation pay for a prompt's searches once", () => {
    const around = { modelVersion: "gemini-2.5-flash", usageMetadata: { promptTokenCount: 1 } }
    const events = seen([frame([{ text: "Hi" }], { ...stopped, groundingMetadata }, around)])
    expect(outcome(events).usage?.searches).toBe(1)
  })
})
