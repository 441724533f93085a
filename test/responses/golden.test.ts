import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { encoding, run } from "./encoding.ts"

const golden = (name: string) => readFileSync(join(import.meta.dirname, "golden", `responses-${name}.sse`), "utf8")

const sse = (events: ReadonlyArray<GenerationEvent>) => {
  let clock = 1_700_000_000
  const { frames } = run(events, { ...encoding, now: () => ++clock })
  return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
}

const started: GenerationEvent = { type: "started", usage: undefined }
const text: ReadonlyArray<GenerationEvent> = [
  { type: "text-start" },
  { type: "text-delta", text: "Hel" },
  { type: "text-delta", text: "lo" }
]
const end = (reason: "stop" | "tool-calls"): ReadonlyArray<GenerationEvent> => [
  { type: "usage", usage: { ...noUsage, inputTokens: 10, outputTokens: 5 } },
  { type: "finished", reason, stopSequence: null }
]

describe("the stream is byte for byte the reference stream", () => {
  it("of a text", () => {
    expect(sse([started, ...text, { type: "text-end" }, ...end("stop")])).toBe(golden("text"))
  })

  it("of a tool call", () => {
    const call: ReadonlyArray<GenerationEvent> = [
      { type: "tool-call-start", callId: "call_1", name: "get_weather", kind: "function" },
      { type: "tool-call-delta", callId: "call_1", text: '{"city":"Paris"}' },
      { type: "tool-call-end", callId: "call_1" }
    ]
    expect(sse([started, ...call, ...end("tool-calls")])).toBe(golden("tool"))
  })

  it("of reasoning before a text", () => {
    const reasoning: ReadonlyArray<GenerationEvent> = [
      { type: "reasoning-start" },
      { type: "reasoning-delta", text: "think" },
      { type: "reasoning-end", signature: undefined }
    ]
    expect(sse([started, ...reasoning, ...text, { type: "text-end" }, ...end("stop")])).toBe(golden("reason"))
  })

  it("of a search and a cited text", () => {
    const page = { url: "https://e.com", title: "E" }
    const search: ReadonlyArray<GenerationEvent> = [
      { type: "search-start", id: "s", query: "x" },
      { type: "search-end", id: "s", outcome: { type: "results", results: [{ ...page, text: "", pageAge: null }] } }
    ]
    const cited: GenerationEvent = { type: "citation", citation: { ...page, citedText: "", start: 0, end: 5 } }
    expect(sse([started, ...search, ...text, cited, { type: "text-end" }, ...end("stop")])).toBe(golden("search"))
  })

  it("of an answer that fails", () => {
    const failed: GenerationEvent = { type: "failed", failure: new UpstreamFailed({ message: "boom" }) }
    expect(sse([started, failed])).toBe(golden("err_failed"))
  })
})
