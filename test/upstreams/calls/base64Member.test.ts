import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { base64Member } from "../../../src/upstreams/calls/base64Member.ts"
import type { Read } from "../../../src/files/checkFile.ts"

/** A document in chunks of these lengths, again and again. */
const inChunks = (document: string, lengths: ReadonlyArray<number>): Read => {
  const bytes = Buffer.from(document)
  let at = 0
  let turn = 0
  return async () => {
    if (at >= bytes.length) return undefined
    const chunk = bytes.subarray(at, at + (lengths[turn++ % lengths.length] ?? 1))
    at += chunk.length
    return chunk
  }
}

const all = async (read: Read): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const documentOf = (text: string) =>
  `{"done": true, "response": {"videos": [{"data" : "${text}", "mimeType": "video/mp4"}]}}`

const begins = /"data"\s*:\s*"/

describe("bytes inside a JSON document", () => {
  it("are the same, however the document is cut and its base64 is escaped", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (bytes, lengths, isEscaped) => {
          const plain = Buffer.from(bytes).toString("base64")
          const text = isEscaped ? plain.replaceAll("/", "\\/").replaceAll("=", "\\u003D") : plain
          const read = base64Member(inChunks(documentOf(text), lengths), begins)
          expect(Buffer.compare(await all(read), bytes)).toBe(0)
        }
      )
    ))

  it("come chunk by chunk, not all at once", async () => {
    const read = base64Member(inChunks(documentOf("A".repeat(4_000_000)), [16_384]), begins)
    let longest = 0
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) longest = Math.max(longest, chunk.length)
    expect(longest).toBeLessThanOrEqual(16_384)
  })

  it("are looked for in time linear in what is before them", async () => {
    let searched = 0
    class Counting extends RegExp {
      override exec(text: string) {
        searched += text.length
        return super.exec(text)
      }
    }
    const before = `{"a": "${"x".repeat(500_000)}", "data": "AAAA"}`
    expect(await all(base64Member(inChunks(before, [100]), new Counting(begins)))).toHaveLength(3)
    expect(searched).toBeLessThan(5 * before.length)
    const endless = inChunks("x".repeat(2_000_000), [1_000])
    await expect(all(base64Member(endless, begins))).rejects.toThrow("no file")
  })

  it("are broken where the document ends too soon, or does not have them", async () => {
    const cut = documentOf("A".repeat(400)).slice(0, 200)
    await expect(all(base64Member(inChunks(cut, [30]), begins))).rejects.toThrow("ended within its file")
    await expect(all(base64Member(inChunks("{}", [30]), begins))).rejects.toThrow("ended within its file, or before")
  })
})
