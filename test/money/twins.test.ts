import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { callsOf, dollar, families, familyNames, startWorld, until } from "./world.ts"
import type { Ask, Family, World } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld(["a", "b", ...shapes.map(({ key }) => key)])
})
afterAll(() => world.dispose())

const conflicts: Record<Family, object> = {
  responses: { error: { code: "conflict", type: "invalid_request_error" } },
  messages: { type: "error", error: { type: "invalid_request_error" } },
  chat: { error: { code: "conflict", type: "invalid_request_error" } },
  several: { error: { code: "conflict", type: "invalid_request_error" } },
  embeddings: { error: { code: "conflict", type: "invalid_request_error" } },
  rerank: { error: { code: "conflict", type: "invalid_request_error" } },
  async: { type: "error", error: { type: "invalid_request_error" } },
  videos: { error: { code: "conflict", type: "invalid_request_error" } }
}

const shapes: ReadonlyArray<Ask> = [
  ...familyNames.map((family): Ask => ({ key: family, family })),
  { key: "responses-stream", family: "responses", body: { stream: true } },
  { key: "messages-stream", family: "messages", body: { stream: true } },
  { key: "chat-stream", family: "chat", body: { stream: true } },
  { key: "several-stream", family: "several", body: { stream: true } }
]

describe("100 parallel twins under one Idempotency-Key", () => {
  it.each(shapes)(
    "of $key: upstream calls for one, one charge, 100 equal answers, the same after a restart",
    async (shape) => {
      const calls = world.up.calls()
      const ask = { ...shape, idempotencyKey: "twin" }
      const answers = await Promise.all(Array.from({ length: 100 }, () => world.ask(ask)))
      const [first] = answers
      for (const { headers, status, text } of answers) {
        expect(status).toBe(200)
        expect(text).toBe(first?.text)
        expect(headers.get("content-type")).toBe(first?.headers.get("content-type"))
      }
      expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(99)
      // A stream goes on to its very end.
      if (ask.body !== undefined) expect(first?.text).toMatch(/message_stop|response\.completed|\[DONE\]/)
      const paid = await until(
        () => world.account(shape.key),
        ({ usage }) => usage.length > 0
      )
      expect(paid).toMatchObject({ settled: dollar, held: 0, usage: [{ cost: dollar }] })
      expect(world.up.calls() - calls).toBe(callsOf(shape.family))

      await world.restart("SIGKILL")
      const again = await world.ask(ask)
      expect([again.status, again.text]).toEqual([200, first?.text])
      expect(again.headers.get("content-type")).toBe(first?.headers.get("content-type"))
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      const other = await world.ask({ ...ask, body: { ...ask.body, metadata: { user_id: "other" }, seed: 1 } })
      expect(other.status).toBe(409)
      expect(other.json).toMatchObject(conflicts[shape.family])
      expect(other.headers.get("x-should-retry")).toBe("false")
      expect(world.account(shape.key)).toMatchObject({ settled: dollar, held: 0 })
    }
  )
})

describe("an Idempotency-Key", () => {
  it("is the account's own, and the endpoint's", async () => {
    const key = { idempotencyKey: "mine" }
    const a = await world.ask({ ...key, key: "a", family: "messages" })
    const b = await world.ask({ ...key, key: "b", family: "messages" })
    expect(b.text).not.toBe(a.text)
    expect((await world.ask({ ...key, key: "a", family: "responses" })).json.object).toBe("response")
  })

  it("lets a failure run again", async () => {
    world.up.failNext(1)
    const ask: Ask = { key: "a", family: "messages", idempotencyKey: "failing" }
    const failed = await world.ask(ask)
    expect([failed.status, failed.headers.get("idempotent-replayed")]).toEqual([400, null])
    const well = await world.ask(ask)
    expect([well.status, well.headers.get("idempotent-replayed")]).toEqual([200, null])
  })

  it("must be 1 to 255 printable characters", async () => {
    for (const idempotencyKey of ["", "x".repeat(256), "a\tb"]) {
      for (const family of familyNames) {
        const { json, status } = await world.ask({ key: "a", family, idempotencyKey })
        expect(status).toBe(400)
        expect(json.error.message).toBe("Idempotency-Key: expected 1 to 255 printable ASCII characters")
      }
    }
    expect((await world.ask({ key: "a", family: "messages", idempotencyKey: "x".repeat(255) })).status).toBe(200)
  })

  it("of a client that left goes on for its twin, which is charged once", async () => {
    const ask: Ask = { key: "b", family: "messages", body: { stream: true }, idempotencyKey: "left" }
    const { settled } = world.account("b")
    const before = world.up.calls()
    const release = world.up.hold()
    const leaving = new AbortController()
    const first = world.ask({ ...ask, signal: leaving.signal }).catch(() => undefined)
    await until(world.up.calls, (calls) => calls > before)
    const second = world.ask(ask)
    // Whatever is asked later is answered later.
    for (let n = 0; n < 20; n++) await world.call("/v1/balance", "b")
    leaving.abort()
    await first
    release()
    expect((await second).text).toContain("message_stop")
    const paid = await until(
      () => world.account("b"),
      (account) => account.settled > settled
    )
    expect(paid.settled - settled).toBe(dollar)
    expect((await world.ask(ask)).headers.get("idempotent-replayed")).toBe("true")
  })

  it("makes one task though the process dies as it answers", async () => {
    const ask: Ask = { key: "a", family: "videos", idempotencyKey: "dying" }
    const before = world.tasks().length
    const first = world.ask(ask).catch(() => undefined)
    await until(
      () => world.tasks().length,
      (count) => count > before
    )
    await world.restart("SIGKILL")
    await first
    const again = await world.ask(ask)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    expect(world.tasks().length - before).toBe(1)
    expect((await world.call(`${families.videos.path}/${again.json.id}`, "a")).status).toBe(200)
  })
})
