import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { fileResponse, rangeOf } from "../../src/files/fileResponse.ts"

const root = mkdtempSync(join(tmpdir(), "files-"))
afterAll(() => rmSync(root, { recursive: true }))
const path = join(root, "video.mp4")
const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => at % 251)
writeFileSync(path, bytes)

const file = {
  size: bytes.length,
  modifiedMs: statSync(path).mtimeMs,
  part: (first: number, last: number) =>
    Bun.file(path)
      .slice(first, last + 1)
      .stream()
}
const ask = async (headers: Record<string, string> = {}) => fileResponse(file, "video/mp4", new Headers(headers))

describe("a file's answer", () => {
  it("is the whole file without a range", async () => {
    const response = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("video/mp4")
    expect(response.headers.get("accept-ranges")).toBe("bytes")
    expect(await response.bytes()).toEqual(bytes)
  })

  it.each([
    ["bytes=0-99", 0, 99],
    ["bytes=990-", 990, 999],
    ["bytes=-10", 990, 999],
    ["bytes=500-5000", 500, 999],
    ["bytes=-5000", 0, 999],
    ["bytes=999-999", 999, 999]
  ])("is the part that %s names", async (range, first, last) => {
    const response = await ask({ range })
    expect(response.status).toBe(206)
    expect(response.headers.get("content-range")).toBe(`bytes ${first}-${last}/1000`)
    expect(await response.bytes()).toEqual(bytes.slice(first, last + 1))
  })

  it.each(["bytes=1000-", "bytes=1000-1001", "bytes=-0"])("is 416 for %s", async (range) => {
    const response = await ask({ range })
    expect(response.status).toBe(416)
    expect(response.headers.get("content-range")).toBe("bytes */1000")
  })

  it.each(["bytes=5-1", "bytes=0-1,5-6", "lines=0-1", "bytes=", "bytes=-", "nonsense"])(
    "is the whole file for %s",
    async (range) => {
      expect((await ask({ range })).status).toBe(200)
    }
  )

  it("needs no bytes where the caller has them, and all of them where what it has is another file", async () => {
    const etag = (await ask()).headers.get("etag") ?? ""
    expect((await ask({ "if-none-match": etag })).status).toBe(304)
    expect((await ask({ range: "bytes=0-9", "if-range": etag })).status).toBe(206)
    expect((await ask({ range: "bytes=0-9", "if-range": '"another"' })).status).toBe(200)
  })

  it("never reaches outside the file", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(5_000), fc.nat(5_000), fc.nat(2_000), (noise, from, to, size) => {
        for (const header of [noise, `bytes=${noise}`, `bytes=${from}-${to}`, `bytes=${from}-`, `bytes=-${to}`]) {
          const range = rangeOf(header, size)
          if (typeof range === "string") continue
          expect(range.first).toBeGreaterThanOrEqual(0)
          expect(range.first).toBeLessThanOrEqual(range.last)
          expect(range.last).toBeLessThan(size)
        }
      })
    )
  })
})
