import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Documents } from "../../src/documents/Documents.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { extractDocuments } from "../../src/upstreams/text/extractDocuments.ts"
import { flateBomb } from "../guard/bodies/pdfs.ts"
import { conversation } from "./conversations.ts"

/** The smallest PDF that shows a line of text. */
const pdf = (line: string) => {
  const page = line === "" ? "" : `BT /F1 24 Tf 20 100 Td (${line}) Tj ET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
  ]
  let text = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")
  const trailer = `trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`
  return btoa(`${text}xref\n0 6\n0000000000 65535 f \n${rows}${trailer}`)
}

const asking = (data: string) => {
  const source = { type: "base64", mediaType: "application/pdf", data } as const
  const document = { type: "document", source, name: "plan.pdf" } as const
  return conversation({
    items: [
      { type: "message", role: "user", content: [document] },
      { type: "tool-result", callId: "c", content: [document], isError: false }
    ]
  })
}
const extract = (asked: Conversation) =>
  Effect.flatMap(
    Documents,
    ({ read }) => extractDocuments(asked, read) ?? Effect.dieMessage("nothing is to be extracted")
  )

describe("documents", () => {
  it.effect("give their text to an upstream that takes no PDFs, and keep their name", () =>
    Effect.gen(function* () {
      const conversation = yield* extract(asking(pdf("The plan is simple")))
      const source = { type: "text", mediaType: "text/plain", text: "The plan is simple" }
      expect(conversation.items).toMatchObject([
        { content: [{ type: "document", name: "plan.pdf", source }] },
        { content: [{ type: "document", name: "plan.pdf", source }] }
      ])
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("without text, or that are no PDFs, are refused by name", () =>
    Effect.gen(function* () {
      const empty = yield* Effect.flip(extract(asking(pdf(""))))
      expect(empty).toMatchObject({ param: "document", message: expect.stringContaining("holds no text") })
      const broken = yield* Effect.flip(extract(asking(btoa("nonsense"))))
      expect(broken.message).toContain("not a readable PDF")
      const bomb = yield* Effect.flip(extract(asking(Buffer.from(flateBomb(1_024)).toString("base64"))))
      expect(bomb.message).toContain("takes more memory to read than the 256 MiB")
    }).pipe(Effect.provide(Documents.Default))
  )
})

it.effect("that can't be read end no loop: in a tool's result words stand in for them", () =>
  Effect.gen(function* () {
    const { items } = asking(pdf(""))
    const conversation = yield* extract({ ...asking(pdf("")), items: items.slice(1) })
    expect(conversation.items).toMatchObject([
      { content: [{ type: "text", text: "[This document can't be shown to the model.]" }] }
    ])
  }).pipe(Effect.provide(Documents.Default))
)
