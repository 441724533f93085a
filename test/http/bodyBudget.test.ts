import { describe, expect, it } from "@effect/vitest"
import { KeyId } from "../../src/contract/Caller.ts"
import { BodyBudget } from "../../src/http/BodyBudget.ts"
import { readText } from "../../src/http/body.ts"

const mebi = 1024 * 1024
const [one, other] = [{ key: KeyId.make("one") }, { key: KeyId.make("other") }]
const limit = 8 * mebi

/** A body that is sent by hand. */
const slow = (headers: Record<string, string> = {}) => {
  let feed!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (feed = controller) })
  const request = new Request("http://gateway/", { method: "POST", body, headers })
  return { request, send: (size: number) => feed.enqueue(new Uint8Array(size)), end: () => feed.close(), feed }
}

/** Why a key may not send so many bytes more; undefined where it may. Takes none. */
const refusal = (budget: BodyBudget, sender: typeof one, bytes: number) => {
  const why = budget.take(sender, bytes)
  if (why === undefined) budget.giveBack(sender.key, bytes)
  return why
}

const refused = (message: string) => ({
  _tag: "RateLimited",
  retryAfterSeconds: 1,
  message: expect.stringContaining(message)
})

describe("the bytes of bodies that are being read", () => {
  it("are bounded for a key, and given back when one has been read", async () => {
    const budget = new BodyBudget({ mostOfKeyMiB: 4, mostOfAllMiB: 100 })
    const first = budget.begin(one)
    const sending = slow()
    const text = readText(sending.request, limit, first)
    sending.send(3 * mebi)
    await expect.poll(() => refusal(budget, one, 2 * mebi)).toMatchObject(refused("more than 4 MiB"))
    expect(refusal(budget, other, 2 * mebi)).toBeUndefined()
    sending.end()
    expect(await text).toHaveLength(3 * mebi)
    first.end()
    first.end()
    expect(budget.take(one, 4 * mebi)).toBeUndefined()
  })

  it("are bounded for all keys together", async () => {
    const budget = new BodyBudget({ mostOfKeyMiB: 4, mostOfAllMiB: 6 })
    expect(budget.take(one, 4 * mebi)).toBeUndefined()
    const sending = slow()
    const reading = budget.begin(other)
    const text = readText(sending.request, limit, reading)
    sending.send(mebi)
    sending.send(2 * mebi)
    expect(await text).toMatchObject(refused("6 MiB"))
    reading.end()
    expect(budget.take(other, 2 * mebi)).toBeUndefined()
  })

  it("are those that are declared, whether or not they come, and those that are unpacked", async () => {
    const budget = new BodyBudget({ mostOfKeyMiB: 4, mostOfAllMiB: 100 })
    const declared = () =>
      new Request("http://gateway/", { method: "POST", body: "x", headers: { "content-length": String(3 * mebi) } })
    const first = budget.begin(one)
    await readText(declared(), limit, first)
    expect(await readText(declared(), limit, budget.begin(one))).toMatchObject(refused("more than 4 MiB"))
    const gzip = { "content-encoding": "gzip" }
    const packed = new Request("http://gateway/", {
      method: "POST",
      body: Bun.gzipSync(new Uint8Array(2 * mebi)),
      headers: gzip
    })
    expect(await readText(packed, limit, budget.begin(one))).toMatchObject(refused("more than 4 MiB"))
    first.end()
    expect(budget.take(one, mebi)).toBeUndefined()
  })

  it("are given back when the client breaks off", async () => {
    const budget = new BodyBudget({ mostOfKeyMiB: 4, mostOfAllMiB: 4 })
    const reading = budget.begin(one)
    const sending = slow()
    const text = readText(sending.request, limit, reading)
    sending.send(3 * mebi)
    await expect.poll(() => refusal(budget, one, 2 * mebi)).toBeDefined()
    sending.feed.error(new Error("gone"))
    await expect(text).rejects.toThrow("gone")
    reading.end()
    expect(budget.take(one, 4 * mebi)).toBeUndefined()
  })
})
