import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { KeyId } from "../../../src/contract/callers/Caller.ts"
import { UploadedFile } from "../../../src/contract/bodies/UploadedFile.ts"
import { readForm } from "../../../src/http/form/readForm.ts"
import { Unfinished } from "../../../src/http/Unfinished.ts"
import { RateLimited } from "../../../src/contract/failures/Failure.ts"
import { Descriptors } from "../../../src/flow/Descriptors.ts"
import type { UnfinishedBounds } from "../../../src/contract/callers/Caller.ts"

const bounds = { parts: 6, fieldBytes: 1_000, fileBytes: 10_000, bytes: 20_000, seconds: 5 }
/** Bounds under which large files are taken. */
const large = { fileBytes: 1_000_000, bytes: 2_000_000 }
const budget = (given: UnfinishedBounds = {}) => {
  const holding = new Unfinished(
    given,
    new Descriptors(
      () => 4_000,
      () => 10
    )
  ).begin({
    key: KeyId.make("k"),
    keyLimits: { unfinished: given }
  })
  if (holding instanceof RateLimited) throw holding
  return holding
}
const asked = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", { method: "POST", body, headers })
const formOf = (entries: ReadonlyArray<readonly [string, string | File]>) => {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value)
  return form
}
const read = (entries: ReadonlyArray<readonly [string, string | File]>, some: Partial<typeof bounds> = {}) =>
  readForm(asked(formOf(entries)), { ...bounds, ...some }, budget())

const bodyOf = async (entries: ReadonlyArray<readonly [string, string | File]>) => {
  const form = await read(entries)
  if (form instanceof Error) throw form
  return form.body
}

/** Open temporary files of this process that have no name any more. */
const openFiles = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return require("node:fs").readlinkSync(`/proc/self/fd/${fd}`).includes("model-gateway-")
    } catch {
      return false
    }
  })

describe("a form that is read", () => {
  it("has its fields as JSON would have them, objects and lists included", async () => {
    expect(
      await bodyOf([
        ["prompt", "ein Büro"],
        ["reference[image_url]", "u"],
        ["tags", "a"],
        ["tags", "b"],
        ["one[]", "c"]
      ])
    ).toEqual({ prompt: "ein Büro", reference: { image_url: "u" }, tags: ["a", "b"], one: ["c"] })
  })

  it("makes own fields of every name", async () => {
    const body = await bodyOf([
      ["__proto__", "x"],
      ["a[__proto__]", "y"]
    ])
    expect(Object.getOwnPropertyNames(body)).toEqual(["__proto__", "a"])
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined()
  })

  it.each([
    ["in memory while they are small", [9_000, 0, 1], 0],
    ["in one file on disk without a name once they are large", [200_000, 1, 0, 300_000, 5], 1]
  ])("has its files %s, until it is discarded", async (_, sizes, onDisk) => {
    const contents = sizes.map((size) => crypto.getRandomValues(Buffer.alloc(size)))
    const form = await read(
      contents.map((content, at) => ["file", new File([content], `${at}.png`, { type: "image/png" })] as const),
      large
    )
    if (form instanceof Error) throw form
    const files = [form.body["file"]].flat().filter((file) => file instanceof UploadedFile)
    expect(files).toHaveLength(sizes.length)
    for (const [at, file] of files.entries()) {
      const content = contents[at] ?? Buffer.alloc(0)
      expect(file).toMatchObject({ name: `${at}.png`, mediaType: "image/png", bytes: content.length })
      expect(file.sha256).toBe(Bun.SHA256.hash(content, "hex"))
      expect([await file.read(), await file.read()].map((read) => read.equals(content))).toEqual([true, true])
    }
    expect(openFiles()).toHaveLength(onDisk)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("model-gateway-") && name.length > 45)).toEqual([])
    await form.discard()
    expect(openFiles()).toEqual([])
  })

  it.each([
    [
      "too many parts",
      Array.from({ length: 7 }, (_, at) => [`f${at}`, "x"] as const),
      "InvalidRequest",
      "more than 6 parts"
    ],
    [
      "long fields",
      [
        ["a", "x".repeat(600)],
        ["b", "y".repeat(600)]
      ] as const,
      "TooLarge",
      "fields are larger than 1000"
    ],
    [
      "a large file",
      [["a", new File(["x".repeat(10_001)], "a")]] as const,
      "TooLarge",
      "a: the file is larger than 10000"
    ],
    [
      "a large body",
      [
        ["a", new File(["x".repeat(9_990)], "a")],
        ["b", new File(["x".repeat(9_990)], "b")]
      ] as const,
      "TooLarge",
      "form is larger than 20000"
    ],
    [
      "a value beside members",
      [
        ["a", "x"],
        ["a[b]", "y"]
      ] as const,
      "InvalidRequest",
      "a: is sent beside a[b]"
    ],
    [
      "a file beside members",
      [
        ["a", new File(["x"], "a")],
        ["a[b]", "y"]
      ] as const,
      "InvalidRequest",
      "a: is sent beside a[b]"
    ],
    [
      "members beside a file",
      [
        ["a[b]", "y"],
        ["a", new File(["x"], "a")]
      ] as const,
      "InvalidRequest",
      "a: is sent beside its members"
    ],
    [
      "a list beside members",
      [
        ["a[]", "x"],
        ["a[b]", "y"]
      ] as const,
      "InvalidRequest",
      "a: is sent beside a[b]"
    ],
    [
      "one member twice",
      [
        ["a[b]", "x"],
        ["a[b]", "y"]
      ] as const,
      "InvalidRequest",
      "a: a[b] is sent more than once"
    ],
    [
      "a file as a member",
      [
        ["a[b]", "u"],
        ["a[file]", new File(["x"], "a")]
      ] as const,
      "InvalidRequest",
      "a: a[file] is a file; expected files as a or a[]"
    ],
    ["a file in a list of objects", [["a[0][b]", "x"]] as const, "InvalidRequest", "expected a name, name[] or"],
    ["NUL in a field", [["a", "\0"]] as const, "InvalidRequest", "without NUL"]
  ])("is refused with %s, and leaves no file behind", async (_, entries, tag, message) => {
    expect(await read(entries)).toMatchObject({ _tag: tag, message: expect.stringContaining(message) })
    expect(openFiles()).toEqual([])
  })

  it("is refused if it is compressed, has no boundary, ends early or is not UTF-8", async () => {
    const refused = (body: BodyInit, headers: Record<string, string>) =>
      readForm(asked(body, headers), bounds, budget())
    const form = { "content-type": "multipart/form-data; boundary=b" }
    const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'
    expect(await refused("x", { ...form, "content-encoding": "gzip" })).toMatchObject({ _tag: "UnsupportedEncoding" })
    expect(await refused("x", { "content-type": "multipart/form-data" })).toMatchObject({ _tag: "InvalidRequest" })
    expect(await refused(`${part}x`, form)).toMatchObject({ message: expect.stringContaining("before its closing") })
    const latin = Buffer.from(`${part}\xe9\r\n--b--`, "latin1")
    expect(await refused(latin, form)).toMatchObject({ _tag: "InvalidRequest", param: "a" })
  })

  it("is refused once it takes too long, however slowly its bytes come", async () => {
    let cancelled = false
    const trickle = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await Bun.sleep(20)
        controller.enqueue(Buffer.from("\r\n"))
      },
      cancel: () => {
        cancelled = true
      }
    })
    const headers = { "content-type": "multipart/form-data; boundary=b" }
    const answer = await readForm(asked(trickle, headers), { ...bounds, seconds: 0.1 }, budget())
    expect(answer).toMatchObject({ message: expect.stringContaining("within 0.1 seconds") })
    expect(cancelled).toBe(true)
  })

  it("has small files on disk too where its key may hold no more in memory", async () => {
    const form = await readForm(
      asked(formOf([["a", new File(["x".repeat(500)], "a")]])),
      bounds,
      budget({ bytes: 1_600 })
    )
    if (form instanceof Error) throw form
    expect(openFiles()).toHaveLength(1)
    await form.discard()
  })

  it.each([
    ["bytes", { bytes: 300_000 }, 400_000, "larger than 300000 bytes"],
    ["files on disk", { descriptors: 1 }, 400_000, "hold 1 connections and files"]
  ])("is refused as its bytes come where its key may hold no more %s", async (_, given, size, message) => {
    const holding = budget(given)
    const form = formOf([["a", new File([Buffer.alloc(size)], "a")]])
    const answer = await readForm(asked(form), { ...bounds, ...large }, holding)
    expect(answer).toMatchObject({ message: expect.stringContaining(message) })
    expect(openFiles()).toEqual([])
    holding.end()
  })
})
