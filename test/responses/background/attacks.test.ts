import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-background-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      models: { priced: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 3, output: 15 } } },
      keys: [
        { name: "ada", secret: secretOf("ada"), balance_usd: 1 },
        { name: "bob", secret: secretOf("bob") }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(() => gateway.dispose())

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Any = any

const ask = (method: string, path: string, body?: object, name = "ada", signal?: AbortSignal) =>
  request(gateway, `/v1/responses${path}`, { method, body, key: secretOf(name), signal })
const told = async (method: string, path: string, body?: object, name = "ada") => {
  const response = await ask(method, path, body, name)
  return { status: response.status, body: await response.json() }
}
const create = async (input: string, more: object = {}): Promise<string> => {
  const { body } = await told("POST", "", {
    model: "priced",
    input,
    background: true,
    max_output_tokens: 3_000,
    ...more
  })
  return body.id
}
/** One that streams, whose reader has hung up at once. */
const streaming = async (input: string): Promise<string> => {
  const response = await ask("POST", "", {
    model: "priced",
    input,
    background: true,
    stream: true,
    max_output_tokens: 3_000
  })
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return /"id":"(resp_\w+)"/.exec(new TextDecoder().decode(value))![1]!
}
const eventsIn = (text: string): ReadonlyArray<Any> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
const after = async (id: string, number: number) =>
  eventsIn(await (await ask("GET", `/${id}?stream=true&starting_after=${number}`)).text())
const ended = async (id: string): Promise<Any> => {
  for (;;) {
    const { body } = await told("GET", `/${id}`)
    if (body.status !== "queued" && body.status !== "in_progress") return body
    await Bun.sleep(10)
  }
}
const balance = async () => {
  const response = await request(gateway, "/v1/balance", { key: secretOf("ada") })
  const { held, settled } = await response.json()
  return { held: held.nano_usd, settled: settled.nano_usd }
}

const slow = "[[sandbox: pace=10ms tokens=2000]]"

describe("a background response", () => {
  it("is cancelled once, however often and by however many it is asked for, and paid for once", async () => {
    const before = (await balance()).settled
    const id = await streaming(slow)
    await readSome(id)
    const all = await Promise.all(Array.from({ length: 10 }, () => told("POST", `/${id}/cancel`)))
    expect(all.map(({ body, status }) => [status, body.status])).toEqual(all.map(() => [200, "cancelled"]))
    const again = await told("POST", `/${id}/cancel`)
    expect(again.body).toEqual(all[0]?.body)
    const money = await balance()
    expect(money.held).toBe(0)
    expect(money.settled).toBeGreaterThan(before)
    await told("POST", `/${id}/cancel`)
    expect(await balance()).toEqual(money)
    const events = await after(id, 0)
    expect(events.filter(({ type }) => type === "response.incomplete")).toHaveLength(1)
  })

  it("is resumed behind its end by an end, and from nowhere by a refusal", async () => {
    const id = await streaming("[[sandbox: pace=2ms tokens=50]]")
    await ended(id)
    const whole = await after(id, 0)
    const last = whole.at(-1).sequence_number
    expect(await after(id, last)).toEqual([])
    expect(await after(id, last + 1_000_000)).toEqual([])
    expect(await after(id, last - 1)).toEqual([whole.at(-1)])
    const running = await streaming(slow)
    const beyond = after(running, 1_000_000)
    await told("POST", `/${running}/cancel`)
    expect(await beyond).toEqual([])
    for (const number of ["-1", "1.5", "x", "1e30", "NaN", "Infinity"]) {
      const refused = await told("GET", `/${id}?stream=true&starting_after=${number}`)
      expect([number, refused.status, refused.body.error?.param]).toEqual([number, 400, "starting_after"])
    }
  })

  it("can't be read, streamed, cancelled or deleted by others", async () => {
    const id = await streaming(slow)
    for (const [method, path] of [
      ["GET", `/${id}`],
      ["GET", `/${id}?stream=true&starting_after=0`],
      ["GET", `/${id}/input_items`],
      ["POST", `/${id}/cancel`],
      ["DELETE", `/${id}`]
    ] as const) {
      const foreign = await told(method, path, undefined, "bob")
      const unknown = await told(method, path.replace(id, "resp_x"), undefined, "bob")
      expect([foreign.status, foreign.body.error.message.replace(id, "resp_x")]).toEqual([
        404,
        unknown.body.error.message
      ])
    }
    expect((await told("GET", `/${id}`)).body.status).toBe("in_progress")
    await told("POST", `/${id}/cancel`)
  })

  it("is deleted while it is made and read: its readers come to an end, its money is back, nothing is left", async () => {
    const before = (await balance()).held
    const ids = await Promise.all(Array.from({ length: 5 }, () => streaming(slow)))
    const readers = ids.map((id) => after(id, 0))
    const deleted = await Promise.all(ids.flatMap((id) => [told("DELETE", `/${id}`), told("POST", `/${id}/cancel`)]))
    expect(deleted.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(ids.length)
    expect(deleted.every(({ status }) => status === 200 || status === 404)).toBe(true)
    for (const read of await Promise.all(readers)) {
      expect(read.map(({ sequence_number }) => sequence_number)).toEqual(read.map((_, index) => index + 1))
    }
    for (const id of ids) expect((await told("GET", `/${id}`)).status).toBe(404)
    expect((await balance()).held).toBe(before)
  })

  it("has no gap and no twin for a client that resumes while events are stored, at any point", async () => {
    const id = await streaming("[[sandbox: pace=3ms tokens=250]]")
    let isOver = false
    const over = ended(id).then(() => (isOver = true))
    const reads: Array<Promise<readonly [number, ReadonlyArray<Any>]>> = []
    for (let from = 0; !isOver; from += 7) {
      reads.push(after(id, from).then((events) => [from, events] as const))
      // Half of them leave in the middle.
      const left = new AbortController()
      void ask("GET", `/${id}?stream=true&starting_after=${from}`, undefined, "ada", left.signal)
        .then((response) => response.text())
        .catch(() => {})
      await Promise.race([over, Bun.sleep(20)])
      left.abort()
    }
    const whole = await after(id, 0)
    expect(whole.at(-1)).toMatchObject({ type: "response.completed" })
    for (const [from, events] of await Promise.all(reads)) {
      expect(events).toEqual(whole.filter(({ sequence_number }) => sequence_number > from))
    }
    const text = whole.map(({ delta, type }) => (type === "response.output_text.delta" ? delta : "")).join("")
    const { output } = (await told("GET", `/${id}`)).body
    expect(output[0].content[0].text).toBe(text)
  })

  it("goes on when all its clients have hung up", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => streaming("[[sandbox: pace=5ms tokens=40]]")))
    const polled = await create("[[sandbox: pace=5ms tokens=40]]")
    for (const id of [...ids, polled]) expect((await ended(id)).status).toBe("completed")
  })
})

/** Reads some of a response. */
const readSome = async (id: string) => {
  const response = await ask("GET", `/${id}?stream=true&starting_after=0`)
  const reader = response.body!.getReader()
  let text = ""
  while (!text.includes('"sequence_number":8')) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
}
