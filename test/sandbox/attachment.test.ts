import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import { Documents } from "../../src/documents/Documents.ts"
import type { FileSource, Part } from "../../src/generation/Conversation.ts"
import type { SandboxOptions } from "../../src/sandbox/SandboxText.ts"
import { conversation } from "../generation/conversations.ts"
import { flateBomb } from "../guard/bodies/pdfs.ts"
import { gif, jpeg, pdf, png, webpExtended, webpLossless, webpLossy } from "./files.ts"
import { run, textIn } from "./run.ts"

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64")
const file = (bytes: Uint8Array | string, mediaType = "application/octet-stream"): FileSource => ({
  type: "base64",
  mediaType,
  data: base64(bytes)
})
const image = (source: FileSource): Part => ({ type: "image", source, detail: "auto" })
const document = (source: FileSource, name?: string): Part => ({ type: "document", source, name })

/** What the sandbox says about parts beside a question. */
const told = (parts: ReadonlyArray<Part>, options: SandboxOptions = {}) => {
  const content: ReadonlyArray<Part> = [{ type: "text", text: "What is this?" }, ...parts]
  return Effect.gen(function* () {
    const documents = yield* Effect.serviceOption(Documents)
    const readers = Option.isSome(documents) ? { readDocument: documents.value.read, ...options } : options
    return textIn(yield* run(conversation({ items: [{ type: "message", role: "user", content }] }), readers))
  })
}

describe("the sandbox reads", () => {
  it.effect("an image's type and size from its bytes, whatever it was called", () =>
    Effect.gen(function* () {
      const images: ReadonlyArray<readonly [Uint8Array, string]> = [
        [png(640, 480), "a PNG image of 640×480 pixels"],
        [gif(320, 200), "a GIF image of 320×200 pixels"],
        [jpeg(1_024, 768), "a JPEG image of 1024×768 pixels"],
        [webpLossy(550, 368), "a WebP image of 550×368 pixels"],
        [webpLossless(386, 395), "a WebP image of 386×395 pixels"],
        [webpExtended(70_000, 3), "a WebP image of 70000×3 pixels"]
      ]
      for (const [bytes, words] of images) {
        expect(yield* told([image(file(bytes, "image/png"))])).toContain(words)
      }
    })
  )

  it.effect("a PDF's pages and first words", () =>
    Effect.gen(function* () {
      const bytes = pdf(["Quarterly report of the harbour", "Second page", "Third page"])
      const text = yield* told([document(file(bytes, "application/pdf"), "report.pdf")])
      expect(text).toContain('report.pdf: a PDF of 3 pages that begins "Quarterly report of the harbour"')
      expect(yield* told([document(file(pdf([""])))])).toContain("a PDF of 1 page without text")
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("no PDF that takes more than one may, and refuses it", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(told([document(file(flateBomb(1_024), "application/pdf"))]))
      expect(failure).toMatchObject({ _tag: "InvalidRequest", message: expect.stringContaining("256 MiB") })
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("a CSV's columns and rows", () =>
    Effect.gen(function* () {
      const csv = 'name,"age, in years",city\r\nAda,36,London\r\n"Bob ""B""\r\nJr",40,Oslo\r\n'
      expect(yield* told([document(file(csv, "text/csv"))])).toContain(
        "a CSV with 3 columns (name, age, in years, city) and 2 rows"
      )
      expect(yield* told([document(file("a;b\n1;2\n\n", "text/plain"), "x.csv")])).toContain(
        "a CSV with 2 columns (a, b) and 1 row"
      )
      expect(yield* told([document(file("", "text/csv"))])).toContain("a CSV with 0 columns () and 0 rows")
    })
  )

  it.effect("plain text and Markdown", () =>
    Effect.gen(function* () {
      expect(yield* told([document(file("One line\nAnother\n", "text/plain"))])).toContain(
        'text of 2 lines that begins "One line Another"'
      )
      expect(yield* told([document(file("# Title\n\nHello", "text/markdown"))])).toContain("Markdown of 3 lines")
      expect(yield* told([document({ type: "text", mediaType: "text/plain", text: "as it is" }, "note")])).toContain(
        'note: text of 1 line that begins "as it is"'
      )
    })
  )

  it.effect("data URLs as well as bare base64", () =>
    Effect.gen(function* () {
      const url = `data:image/png;base64,${base64(png(8, 9))}`
      expect(yield* told([image({ type: "url", url })])).toContain("a PNG image of 8×9 pixels")
      expect(yield* told([image({ type: "base64", mediaType: "image/png", data: url })])).toContain("8×9 pixels")
      expect(yield* told([document({ type: "url", url: "data:text/plain,hello%20you" })])).toContain(
        'begins "hello you"'
      )
    })
  )

  it.effect("several at once, and those in a tool's result", () =>
    Effect.gen(function* () {
      const text = yield* told([image(file(png(1, 2))), document(file("a,b\n1,2\n", "text/csv"))])
      expect(text).toContain('You said: "What is this?". You sent a PNG image of 1×2 pixels. You sent a CSV')
      const shown = yield* run(
        conversation({
          items: [
            { type: "tool-call", callId: "c", name: "screenshot", arguments: "{}", kind: "function" },
            { type: "tool-result", callId: "c", content: [image(file(png(3, 4)))], isError: false }
          ]
        })
      )
      expect(textIn(shown)).toContain("a PNG image of 3×4 pixels")
    })
  )

  it.effect("nothing it can't read, and says so", () =>
    Effect.gen(function* () {
      expect(yield* told([image(file(png(640, 480).slice(0, 20), "image/png"))])).toContain(
        "20 bytes called image/png that I could not read"
      )
      expect(yield* told([document(file("%PDF-1.7 but not really", "application/pdf"))])).toContain(
        "a PDF of 23 bytes that I could not read"
      )
      expect(yield* told([document({ type: "file", id: "file_1" })])).toContain("file_1, which is kept elsewhere")
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("addresses only where it is given a way to", () =>
    Effect.gen(function* () {
      const part = image({ type: "url", url: "https://example.com/cat.png" })
      expect(yield* told([part])).toContain("the address https://example.com/cat.png, which I did not read")
      const asked: Array<string> = []
      const fetchBytes = (url: string) => Effect.sync(() => (asked.push(url), png(5, 6)))
      expect(yield* told([part], { fetchBytes })).toContain("https://example.com/cat.png: a PNG image of 5×6 pixels")
      expect(asked).toEqual(["https://example.com/cat.png"])
      const refused = new InvalidRequest({ param: null, message: "not allowed" })
      expect(yield* told([part], { fetchBytes: () => Effect.fail(refused) })).toContain(
        "the address https://example.com/cat.png, which I could not read (not allowed)"
      )
    })
  )
})
