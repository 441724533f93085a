import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Conversation, Part } from "../../../src/generation/Conversation.ts"
import { signedImageId, signedTextId } from "../../../src/generation/signedText.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { gemini } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { conversation, pixel, user } from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"

const frame = (parts: ReadonlyArray<JsonObject>, rest: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
  responseId: "r1"
})
const stopped = { finishReason: "STOP" }
const both = (parts: ReadonlyArray<JsonObject>) => {
  const whole = answered(gemini, frame(parts, stopped))
  const pieces = streamed(gemini, [...parts.map((part) => frame([part])), frame([], stopped)], { marked: false })
  expect(outcome(whole)).toEqual(outcome(pieces))
  return { items: outcome(whole).items, signed: pieces.filter(({ type }) => type === "tool-call-signed") }
}
const inline = (mimeType: string, data: string = pixel) => ({ inlineData: { mimeType, data } })
const png = { type: "image", mediaType: "image/png", data: pixel }

describe("files of Gemini's answers", () => {
  it("images are items between texts, and their signatures are kept under their bytes", () => {
    const { items, signed } = both([
      { text: "Here:", thoughtSignature: "s1" },
      { ...inline("image/png"), thoughtSignature: "s2" },
      inline("image/jpg", "/9j/4AAQ"),
      { text: "Well?" }
    ])
    expect(items).toEqual([
      { type: "text", text: "Here:" },
      png,
      { type: "image", mediaType: "image/jpeg", data: "/9j/4AAQ" },
      { type: "text", text: "Well?" }
    ])
    expect(signed).toEqual([
      { type: "tool-call-signed", callId: signedTextId("Here:"), signature: "0-5.s1" },
      { type: "tool-call-signed", callId: signedImageId(pixel), signature: "s2" },
      // Chat completions have both texts as one.
      { type: "tool-call-signed", callId: signedTextId("Here:Well?"), signature: "0-5.s1" }
    ])
  })

  it("drafts among the thoughts, sound, and files without a type of an image are told in words", () => {
    const { items } = both([
      { ...inline("image/png"), thought: true },
      inline("audio/L16;rate=24000", "AAAA"),
      inline('image/png"><script>', "AAAA")
    ])
    const words = (type: string, bytes: number) => expect.stringContaining(`A file of type ${type} and ${bytes} bytes`)
    expect(items).toEqual([
      { type: "reasoning", text: words("image/png", Math.floor((pixel.length * 3) / 4)) },
      { type: "text", text: words("audio/L16;rate=24000", 3) }
    ])
  })

  it("code and its output are text in fences of their own", () => {
    const code = "print('```')"
    const { items, signed } = both([
      { text: "Let me see." },
      { executableCode: { language: "PYTHON", code }, thoughtSignature: "s" },
      { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "no\n" } },
      { text: "Done." }
    ])
    const blocks = [`\`\`\`\`python\n${code}\n\`\`\`\``, "```\nOUTCOME_FAILED\nno\n```"]
    const text = ["Let me see.", blocks.join("\n\n\n\n"), "Done."].join("\n\n")
    expect(items).toEqual([{ type: "text", text }])
    expect(signed).toHaveLength(1)
  })
})

const made: Part = { type: "image", detail: "auto", source: { type: "base64", mediaType: "image/png", data: pixel } }
const said = (...content: ReadonlyArray<Part>): Conversation["items"] => [
  user("Draw"),
  { type: "message", role: "assistant", content },
  user("Bluer")
]
const hello: Part = { type: "text", text: "Hello" }
const standIn = "skip_thought_signature_validator"

describe("images of earlier answers", () => {
  const turn = (
    model: string,
    signatures: ReadonlyArray<readonly [string, string]>,
    ...content: ReadonlyArray<Part>
  ) => {
    const asked = conversation({ items: said(...content) })
    const { adapted, body } = gemini.lower(asked, { model, stream: false, callSignatures: new Map(signatures) })
    expect(adapted).toEqual([])
    return (body["contents"] as ReadonlyArray<JsonObject>)[1]?.["parts"]
  }

  it("go back as bytes, with their signature", () => {
    const signatures = [[signedImageId(pixel), "s2"]] as const
    expect(turn("gemini-2.5-flash-image", signatures, hello, made)).toEqual([
      { text: "Hello" },
      { ...inline("image/png"), thoughtSignature: "s2" }
    ])
  })

  it("get a stand-in, as the beginning of the turn does, where the model refuses those without", () => {
    expect(turn("gemini-3-pro-image-preview", [], hello, made)).toEqual([
      { text: "Hello", thoughtSignature: standIn },
      { ...inline("image/png"), thoughtSignature: standIn }
    ])
    expect(turn("gemini-3-pro-preview", [], hello, made)).toEqual([{ text: "Hello" }, inline("image/png")])
  })

  it("keep a stand-in when signatures are refused", () => {
    const asked = conversation({ items: said(made) })
    const callSignatures = new Map([[signedImageId(pixel), "old"]])
    const { body } = gemini.lower(asked, { model: "gemini-3-pro-image-preview", stream: false, callSignatures })
    const unsigned = gemini.unsigned?.(body, "Corrupted thought signature.")
    expect(JSON.stringify(unsigned)).not.toContain("old")
    expect(JSON.stringify(unsigned)).toContain(standIn)
  })

  it.each([
    ["anthropic-messages", anthropicMessages, "claude-sonnet-4-5"],
    ["bedrock-converse", bedrockConverse, "anthropic.claude-sonnet-4-5"],
    ["openai-responses", openaiResponses, "gpt-5"],
    ["openai-chat", openaiChat(providers.openai), "gpt-5"]
  ] as const)("are left out and named at %s, whose assistants have none", (_, protocol, model) => {
    const { adapted, body, refused } = protocol.lower(conversation({ items: said(hello, made) }), {
      model,
      stream: false
    })
    expect([adapted.includes("image"), refused]).toEqual([true, undefined])
    expect(JSON.stringify(body)).not.toContain(pixel)
  })
})

it("two signed parts of one text each go back with their own signature", () => {
  const { signed } = both([
    { text: "One.", thoughtSignature: "a" },
    { text: " Two." },
    { text: " Three.", thoughtSignature: "b" }
  ])
  const [event] = signed
  const text = "One. Two. Three."
  expect(signed).toHaveLength(1)
  if (event?.type !== "tool-call-signed") throw new Error("no signature was kept")
  expect(event.callId).toBe(signedTextId(text))
  const { body } = gemini.lower(conversation({ items: said({ type: "text", text }) }), {
    model: "gemini-3.8-flash",
    stream: false,
    callSignatures: new Map([[event.callId, event.signature]])
  })
  expect((body["contents"] as ReadonlyArray<JsonObject>)[1]?.["parts"]).toEqual([
    { text: "One.", thoughtSignature: "a" },
    { text: " Two." },
    { text: " Three.", thoughtSignature: "b" }
  ])
})

it("images of a chat upstream are read as OpenRouter and LiteLLM write them, whole and streamed", () => {
  const chat = openaiChat(providers.generic)
  const images = [{ type: "image_url", index: 0, image_url: { url: `data:image/png;base64,${pixel}` } }]
  const head = { id: "c", model: "m" }
  const whole = answered(chat, {
    ...head,
    choices: [{ index: 0, message: { role: "assistant", content: "Here:", images }, finish_reason: "stop" }]
  })
  const pieces = streamed(chat, [
    { ...head, choices: [{ index: 0, delta: { role: "assistant", content: "Here:" } }] },
    { ...head, choices: [{ index: 0, delta: { images }, finish_reason: "stop" }] }
  ])
  for (const events of [whole, pieces]) {
    expect(outcome(events).items).toEqual(expect.arrayContaining([{ type: "text", text: "Here:" }, png]))
  }
})
