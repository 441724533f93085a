import { describe, expect, it } from "@effect/vitest"
import { KeyId } from "../../src/contract/callers/Caller.ts"
import type { UnfinishedBounds } from "../../src/contract/callers/Caller.ts"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import { Descriptors } from "../../src/flow/Descriptors.ts"
import { readText } from "../../src/http/body.ts"
import { Unfinished } from "../../src/http/Unfinished.ts"

const mebi = 1024 * 1024
const [one, other] = [
  { key: KeyId.make("one"), keyLimits: {} },
  { key: KeyId.make("other"), keyLimits: {} }
]
const limit = 8 * mebi
const idle = () =>
  new Descriptors(
    () => 4_000,
    () => 10
  )

/** Bytes for all keys that leave a key so many MiB of memory. */
const memoryOfKey = (mib: number): UnfinishedBounds => ({ bytes: mib * mebi * 16 })
const bounded = (bounds: UnfinishedBounds, descriptors = idle()) => new Unfinished(bounds, descriptors)

const begun = (unfinished: Unfinished, sender: Parameters<Unfinished["begin"]>[0]) => {
  const holding = unfinished.begin(sender)
  if (holding instanceof RateLimited) throw holding
  return holding
}

/** A body that is sent by hand. */
const slow = (headers: Record<string, string> = {}) => {
  let feed!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (feed = controller) })
  const request = new Request("http://gateway/", { method: "POST", body, headers })
  return { request, send: (size: number) => feed.enqueue(new Uint8Array(size)), end: () => feed.close(), feed }
}

/** Why a key may not send so many bytes more; undefined where it may. Takes none. */
const refusal = (unfinished: Unfinished, sender: typeof one, bytes: number) => {
  const holding = begun(unfinished, sender)
  const why = holding.more(bytes, "memory")
  holding.end()
  return why
}

const refused = (message: string) => ({
  _tag: "RateLimited",
  retryAfterSeconds: 1,
  message: expect.stringContaining(message)
})

describe("the bytes of bodies that are being read", () => {
  it("are bounded for a key, and given back when one has been read", async () => {
    const unfinished = bounded(memoryOfKey(4))
    const first = begun(unfinished, one)
    const sending = slow()
    const text = readText(sending.request, limit, first)
    sending.send(3 * mebi)
    await expect.poll(() => refusal(unfinished, one, 2 * mebi)).toMatchObject(refused("more than 4 MiB"))
    expect(refusal(unfinished, other, 2 * mebi)).toBeUndefined()
    sending.end()
    expect(await text).toHaveLength(3 * mebi)
    first.endBody()
    first.endBody()
    expect(refusal(unfinished, one, 4 * mebi)).toBeUndefined()
  })

  it("are bounded for all keys together", async () => {
    const unfinished = bounded({ bytes: 24 * mebi })
    const generous = { ...one, keyLimits: { unfinished: { bytes: 24 * mebi } } }
    begun(unfinished, generous).more(4 * mebi, "memory")
    const sending = slow()
    const reading = begun(unfinished, { ...other, keyLimits: generous.keyLimits })
    const text = readText(sending.request, limit, reading)
    sending.send(mebi)
    sending.send(2 * mebi)
    expect(await text).toMatchObject(refused("The gateway is reading 6 MiB"))
  })

  it("are those that are declared, whether or not they come, and those that are unpacked", async () => {
    const unfinished = bounded(memoryOfKey(4))
    const declared = () =>
      new Request("http://gateway/", { method: "POST", body: "x", headers: { "content-length": String(3 * mebi) } })
    const first = begun(unfinished, one)
    await readText(declared(), limit, first)
    expect(await readText(declared(), limit, begun(unfinished, one))).toMatchObject(refused("more than 4 MiB"))
    const packed = new Request("http://gateway/", {
      method: "POST",
      body: Bun.gzipSync(new Uint8Array(2 * mebi)),
      headers: { "content-encoding": "gzip" }
    })
    expect(await readText(packed, limit, begun(unfinished, one))).toMatchObject(refused("more than 4 MiB"))
    first.end()
    expect(refusal(unfinished, one, mebi)).toBeUndefined()
  })

  it("are given back when the client breaks off", async () => {
    const unfinished = bounded(memoryOfKey(4))
    const reading = begun(unfinished, one)
    const sending = slow()
    const text = readText(sending.request, limit, reading)
    sending.send(3 * mebi)
    await expect.poll(() => refusal(unfinished, one, 2 * mebi)).toBeDefined()
    sending.feed.error(new Error("gone"))
    await expect(text).rejects.toThrow("gone")
    reading.end()
    expect(refusal(unfinished, one, 4 * mebi)).toBeUndefined()
  })

  it("are refused for good where one body is more than its key may send", () => {
    const small = { ...one, keyLimits: { unfinished: { bytes: 4 * mebi } } }
    expect(refusal(bounded({}), small, 2 * mebi)).toMatchObject({ _tag: "TooLarge" })
    expect(refusal(bounded({}), small, mebi)).toBeUndefined()
  })
})

describe("connections and files of requests that are not finished", () => {
  it("are a quarter of all for a key, and go back at the request's end", () => {
    const unfinished = bounded({ connections: 8 })
    const [first, second] = [begun(unfinished, one), begun(unfinished, one)]
    expect(unfinished.begin(one)).toMatchObject(refused("This API key has 2 requests that are not finished"))
    expect(begun(unfinished, other)).toBeDefined()
    first.endBody()
    expect(unfinished.begin(one)).toMatchObject(refused("2 requests"))
    first.end()
    first.end()
    expect(begun(unfinished, one)).toBeDefined()
    expect(unfinished.begin(one)).toMatchObject(refused("2 requests"))
    second.end()
  })

  it("are bounded for all keys together", () => {
    const unfinished = bounded({ connections: 8 })
    for (let at = 0; at < 8; at++) begun(unfinished, { key: KeyId.make(`${at % 4}`), keyLimits: {} })
    expect(unfinished.begin(one)).toMatchObject(refused("The gateway has 8 requests that are not finished"))
  })

  it("are the key's own where it has a bound", () => {
    const unfinished = bounded({ descriptors: 400 })
    const sender = { ...one, keyLimits: { unfinished: { descriptors: 3 } } }
    const holding = begun(unfinished, sender)
    expect(holding.open("file")).toBeUndefined()
    expect(begun(unfinished, sender).open("file")).toMatchObject(refused("hold 3 connections and files"))
    holding.endBody()
    expect(begun(unfinished, sender)).toBeDefined()
  })

  it("follow the operator's bounds as they are now", () => {
    const unfinished = bounded({ connections: 4 })
    begun(unfinished, one)
    expect(unfinished.begin(one)).toMatchObject(refused("1 requests"))
    unfinished.bound({ connections: 8 })
    expect(begun(unfinished, one)).toBeDefined()
  })

  it("are shares of the process's descriptors, a quarter of which stays free", () => {
    let open = 0
    const unfinished = bounded(
      {},
      new Descriptors(
        () => 400,
        () => open
      )
    )
    const holdings = Array.from({ length: 75 }, () => begun(unfinished, one))
    expect(unfinished.begin(one)).toMatchObject(refused("75"))
    for (const holding of holdings) holding.end()
    open = 301
    expect(
      bounded(
        {},
        new Descriptors(
          () => 400,
          () => open
        )
      ).begin(one)
    ).toMatchObject(refused("too few file descriptors"))
    open = 300
    expect(
      begun(
        bounded(
          {},
          new Descriptors(
            () => 400,
            () => open
          )
        ),
        one
      )
    ).toBeDefined()
  })
})
