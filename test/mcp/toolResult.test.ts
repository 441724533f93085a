import { describe, expect, it } from "vitest"
import { imageLine } from "../../src/generation/imageLine.ts"
import { outputText, resultParts } from "../../src/mcp/toolResult.ts"

const png = "iVBORw0KGgo="
const text = (words: string) => ({ type: "text", text: words })

describe("what a model reads of a result", () => {
  it("is its texts in one, with the pictures between them", () => {
    const parts = resultParts({
      content: [text("a"), text("b"), { type: "image", mimeType: "image/png", data: png }, text("c")]
    })
    const source = { type: "base64", mediaType: "image/png", data: png }
    expect(parts).toEqual([text("a\nb"), { type: "image", source, detail: "auto" }, text("c")])
    expect(outputText(parts)).toBe("a\nb\n[image, image/png, 1 kB]\nc")
  })

  it("has a line for what no model takes, and for links, which are not fetched", () => {
    const parts = resultParts({
      content: [
        { type: "audio", mimeType: "audio/wav", data: "x".repeat(16_000) },
        { type: "image", mimeType: "image/svg+xml", data: png },
        { type: "image", mimeType: "image/png", data: "not base64" },
        { type: "resource", resource: { uri: "file:///a", text: "of a file" } },
        { type: "resource", resource: { uri: "file:///b", mimeType: "application/pdf", blob: "AAAA" } },
        { type: "resource_link", name: "Manual", uri: "https://example.com/manual" },
        { type: "hologram", data: png },
        "no block"
      ]
    })
    expect(parts).toEqual([
      text(
        [
          "[audio, audio/wav, 12 kB]",
          "[image, image/svg+xml, 1 kB]",
          "[image, image/png, 1 kB]",
          "of a file",
          "[file, application/pdf, 1 kB]",
          "Manual: https://example.com/manual"
        ].join("\n")
      )
    ])
  })

  it("is the structured content if there is nothing else, and says so if there is nothing at all", () => {
    expect(resultParts({ structuredContent: { a: [1] } })).toEqual([text('{"a":[1]}')])
    expect(resultParts({ content: [text("a")], structuredContent: { a: 1 } })).toEqual([text("a")])
    expect(resultParts({ content: [] })).toEqual([text("(no output)")])
    expect(resultParts({ content: "text" })).toEqual([text("(no output)")])
  })

  it("is cut after 100,000 characters, which it says, however many blocks they are in", () => {
    const [whole] = resultParts({ content: [text("a".repeat(200_000)), text("more")] })
    expect(whole).toMatchObject({ text: expect.stringMatching(/^a{100000}\n\[The result is cut: .*\]$/) })
    const many = outputText(resultParts({ content: Array.from({ length: 90_000 }, () => text("ab")) }))
    expect(many.length).toBeLessThan(100_100)
    expect(outputText(resultParts({ structuredContent: { a: "b".repeat(200_000) } })).length).toBeLessThan(100_100)
  })

  it("has 16 pictures at most; the others are lines", () => {
    const image = { type: "image", mimeType: "image/png", data: png }
    const parts = resultParts({ content: Array.from({ length: 20 }, () => image) })
    expect(parts.filter(({ type }) => type === "image")).toHaveLength(16)
    expect(parts.at(-1)).toEqual(text(Array.from({ length: 4 }, () => "[image, image/png, 1 kB]").join("\n")))
  })

  it("names a picture without its bytes", () => {
    expect(imageLine({ type: "image", source: { type: "url", url: "https://example.com" }, detail: "auto" })).toBe(
      "[image]"
    )
  })
})
