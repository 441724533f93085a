import { describe, expect, it } from "@effect/vitest"
import type { Conversation, Part } from "../../../src/generation/Conversation.ts"
import { gemini } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { call, conversation, pixel, user } from "../conversations.ts"

const flash = "gemini-3.8-flash"
const lower = (over: Partial<Conversation>, model = flash) => gemini.lower(conversation(over), { model, stream: true })

const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }
const said = (...content: ReadonlyArray<Part>) => ({ type: "message", role: "user", content }) as const

describe("gemini models", () => {
  it("thinks by budget or level, as the model takes it, and names what it can't do", () => {
    const asked = (over: Partial<Conversation["reasoning"]>, model: string, maxOutputTokens?: number) => {
      const { adapted, body } = lower({ reasoning: { ...reasoning, ...over }, maxOutputTokens }, model)
      return [(body["generationConfig"] as Record<string, unknown>)?.["thinkingConfig"], adapted]
    }
    const summary = "auto"
    expect(asked({ effort: "high", summary }, "gemini-2.5-flash")).toEqual([
      { includeThoughts: true, thinkingBudget: 16_384 },
      []
    ])
    expect(asked({ effort: "high" }, "gemini-2.5-flash", 1_000)).toEqual([{ thinkingBudget: 800 }, []])
    expect(asked({ enabled: true, budgetTokens: 2_000, summary }, "gemini-2.5-pro")).toEqual([
      { includeThoughts: true, thinkingBudget: 2_000 },
      []
    ])
    expect(asked({ budgetTokens: 60_000 }, "gemini-2.5-pro")).toEqual([
      { thinkingBudget: 32_768 },
      ["thinking.budget_tokens"]
    ])
    expect(asked({ enabled: true }, "gemini-2.5-pro")).toEqual([{ thinkingBudget: -1 }, []])
    expect(asked({ enabled: false }, "gemini-2.5-flash-lite")).toEqual([{ thinkingBudget: 0 }, []])
    expect(asked({ effort: "none" }, "gemini-2.5-pro")).toEqual([{ thinkingBudget: 128 }, ["reasoning.effort"]])
    expect(asked({ effort: "medium", summary }, flash)).toEqual([
      { includeThoughts: true, thinkingLevel: "MEDIUM" },
      []
    ])
    expect(asked({ effort: "xhigh" }, flash)).toEqual([{ thinkingLevel: "HIGH" }, ["reasoning.effort"]])
    expect(asked({ effort: "xhigh" }, "gemini-4-argon")).toEqual([{ thinkingLevel: "XHIGH" }, []])
    expect(asked({ effort: "medium" }, "gemini-3-pro-preview")).toEqual([
      { thinkingLevel: "LOW" },
      ["reasoning.effort"]
    ])
    expect(asked({ enabled: true, budgetTokens: 8_000, summary }, flash)).toEqual([
      { includeThoughts: true, thinkingLevel: "MEDIUM" },
      ["thinking.budget_tokens"]
    ])
    expect(asked({ enabled: true, summary }, flash)).toEqual([{ includeThoughts: true }, []])
    expect(asked({ enabled: false }, flash)).toEqual([{ thinkingLevel: "MINIMAL" }, ["thinking"]])
    expect(asked({ effort: "low" }, "gemini-2.0-flash")).toEqual([undefined, ["reasoning.effort"]])
    expect(asked({}, flash)).toEqual([undefined, []])
  })

  it("carries images, PDFs, audio and video by bytes or address, and the results of tools with them", () => {
    const files = [
      { type: "image", detail: "auto", source: { type: "base64", mediaType: "image/png", data: pixel } },
      { type: "image", detail: "auto", source: { type: "url", url: "https://a.com/cat.webp?x=1" } },
      { type: "document", name: "plan.pdf", source: { type: "base64", mediaType: "application/pdf", data: "JVBERi" } },
      { type: "document", name: undefined, source: { type: "url", url: "https://a.com/plan" } },
      { type: "document", name: undefined, source: { type: "base64", mediaType: "audio/wav", data: "UklGR" } },
      { type: "document", name: undefined, source: { type: "url", url: "https://a.com/clip.mp4" } },
      { type: "document", name: "a.txt", source: { type: "text", mediaType: "text/plain", text: "Hi" } }
    ] as const
    const { adapted, body, refused } = lower({ items: [said(...files)] })
    expect(body["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { inlineData: { mimeType: "image/png", data: pixel } },
          { fileData: { mimeType: "image/webp", fileUri: "https://a.com/cat.webp?x=1" } },
          { text: "plan.pdf:" },
          { inlineData: { mimeType: "application/pdf", data: "JVBERi" } },
          { fileData: { mimeType: "application/pdf", fileUri: "https://a.com/plan" } },
          { inlineData: { mimeType: "audio/wav", data: "UklGR" } },
          { fileData: { mimeType: "video/mp4", fileUri: "https://a.com/clip.mp4" } },
          { text: '<document name="a.txt">\nHi\n</document>' }
        ]
      }
    ])
    expect([adapted, refused]).toEqual([[], undefined])
    const shown = {
      type: "tool-result",
      callId: "c1",
      content: [{ type: "text", text: "A pixel" }, files[0]],
      isError: false
    } as const
    const items = [user("Draw"), call("c1", "draw", "{}"), shown]
    const inside = { inlineData: { mimeType: "image/png", data: pixel } }
    const answered = { id: "c1", name: "draw", response: { output: "A pixel" } }
    expect(lower({ items }).body["contents"]).toMatchObject([
      {},
      {},
      { role: "user", parts: [{ functionResponse: { ...answered, parts: [inside] } }] }
    ])
    expect(lower({ items }, "gemini-2.5-pro").body["contents"]).toMatchObject([
      {},
      {},
      { role: "user", parts: [{ functionResponse: answered }, inside] }
    ])
  })

  it("refuses files that it can't read, and ids of files", () => {
    const word = { type: "base64", mediaType: "application/msword", data: "AA==" } as const
    expect(lower({ items: [said({ type: "document", name: undefined, source: word })] }).refused?.message).toBe(
      "document: the model's upstream can't read application/msword; send a PDF, audio, video or text"
    )
    const stored = { type: "file", id: "file-1" } as const
    expect(lower({ items: [said({ type: "image", detail: "auto", source: stored })] }).refused?.param).toBe("image")
  })
})
