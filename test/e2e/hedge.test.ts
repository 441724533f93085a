import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { adminKey } from "./adminClient.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

/** Answers a request after the milliseconds that it names for this upstream (`a:300`), and counts the cancelled ones. */
const timed = (name: string) => {
  const fake = fakeUpstream("openai-chat", {
    answer: async ({ text }) => {
      const ms = Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1] ?? 0)
      await Bun.sleep(ms)
      if (text.includes(`${name}-fails`)) return Response.json({ error: { message: "no" } }, { status: 503 })
      return Response.json({
        id: "x",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: `from ${name}` }, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
      })
    }
  })
  return fake
}
const fakes = { a: timed("a"), b: timed("b") }
let gateway: GatewayHere

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-hedge-"))
  const price = (usd: number) => ({ input: usd, output: usd })
  const routes = [
    { upstream: "a", model: "m", price: price(10_000) },
    { upstream: "b", model: "m", price: price(20_000) }
  ]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(
        Object.entries(fakes).map(([name, { url }]) => [name, { protocol: "openai-chat", base_url: `${url}/v1` }])
      ),
      models: {
        hedged: { routes, hedge_seconds: 0.2 },
        // Names of their own: a failed route is asked last for a while.
        impatient: { routes: [{ ...routes[0], model: "silent", first_byte_seconds: 0.2 }, routes[1]] },
        refused: { routes: [{ ...routes[0], model: "refusing" }, routes[1]] },
        narrow: {
          routes: [routes[0], { upstream: "b", model: "n", max_concurrency: 1, price: price(20_000) }],
          hedge_seconds: 0.2
        }
      },
      keys: [
        { name: "rich", secret: secretOf("rich"), balance_usd: 1_000 },
        { name: "poor", secret: secretOf("poor"), balance_usd: 3 }
      ]
    })
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([fakes.a.stop(), fakes.b.stop()])
})

interface Row {
  readonly upstream: string
  readonly cost_usd: number
  readonly upstream_cost_usd: number
  readonly attempts: ReadonlyArray<{ readonly upstream: string; readonly status?: number; readonly error?: string }>
}

let asked = 0
const ask = async (text: string, more: object = {}, name = "rich", signal?: AbortSignal) => {
  const tag = `t${asked++}`
  const response = await request(gateway, "/v1/chat/completions", {
    key: secretOf(name),
    headers: { "x-gateway-tags": tag },
    body: { model: "hedged", max_tokens: 20, messages: [{ role: "user", content: text }], ...more },
    signal
  })
  return {
    status: response.status,
    upstream: response.headers.get("x-gateway-upstream"),
    tag,
    text: await response.text()
  }
}
const rowOf = async (tag: string): Promise<Row> => {
  const read = async () => {
    const answer = await request(gateway, `/admin/v1/requests?tag=${tag}`, { key: adminKey })
    const { data } = (await answer.json()) as { data: ReadonlyArray<{ request_id: string }> }
    return data[0]
  }
  await expect.poll(read).toBeDefined()
  const row = await read()
  const shown = await request(gateway, `/admin/v1/requests/${row?.request_id}`, { key: adminKey })
  return shown.json()
}
const balance = async (name: string) => {
  const body = (await (await request(gateway, "/v1/balance", { key: secretOf(name) })).json()) as {
    available: { usd: string }
    held: { usd: string }
  }
  return [Number(body.available.usd), Number(body.held.usd)] as const
}

describe("a request whose first route is given up as silent", () => {
  it("is charged at the second; the operator pays what the first read", async () => {
    const { tag, upstream } = await ask("a:3000", { model: "impatient" })
    expect(upstream).toBe("b")
    const row = await rowOf(tag)
    expect(row.cost_usd).toBeCloseTo(0.4, 9)
    expect(row.upstream_cost_usd).toBeGreaterThan(0.4)
    expect(row.upstream_cost_usd).toBeLessThan(0.4 + 0.5)
  })

  it("pays nothing for a first that refused", async () => {
    const { tag, upstream } = await ask("a-fails", { model: "refused" })
    expect(upstream).toBe("b")
    const row = await rowOf(tag)
    expect(row.cost_usd).toBeCloseTo(0.4, 9)
    expect(row.upstream_cost_usd ?? row.cost_usd).toBeCloseTo(0.4, 9)
  })
})

describe("a hedged request", () => {
  it("is answered and charged by the second route if the first is silent; the operator pays what the first read", async () => {
    const [before] = await balance("rich")
    const { status, tag, text, upstream } = await ask("a:3000")
    expect([status, upstream, text]).toEqual([200, "b", expect.stringContaining("from b")])
    const row = await rowOf(tag)
    // 20 tokens at the second route's price.
    expect(row.cost_usd).toBeCloseTo(0.4, 9)
    // The input at the first route's.
    expect(row.upstream_cost_usd).toBeGreaterThan(0.4)
    expect(row.upstream_cost_usd).toBeLessThan(0.4 + 0.5)
    expect(row.attempts).toMatchObject([
      { upstream: "a", error: "another route answered first" },
      { upstream: "b", status: 200 }
    ])
    const [left, held] = await balance("rich")
    expect([before - left, held]).toEqual([expect.closeTo(0.4, 9), 0])
  })

  it("is answered by the first if that is faster after all", async () => {
    const { tag, upstream } = await ask("a:500 b:3000")
    expect(upstream).toBe("a")
    const row = await rowOf(tag)
    expect(row.cost_usd).toBeCloseTo(0.2, 9)
    expect(row.upstream_cost_usd).toBeGreaterThan(0.2)
    expect(row.attempts.map(({ upstream }) => upstream)).toEqual(["b", "a"])
  })

  it.each([
    ["streamed", { stream: true }],
    ["stored", { store: true }]
  ])("is neither %s", async (_, more) => {
    const before = fakes.b.asked.length
    const { upstream } = await ask("a:400", more)
    expect([upstream, fakes.b.asked.length]).toEqual(["a", before])
  })

  it("goes on after a failure of both, and of one", async () => {
    expect((await ask("a:300 a-fails b:500")).upstream).toBe("b")
    expect((await ask("a:500 b-fails")).upstream).toBe("a")
  })

  it("is read on if the client leaves: it pays the answer, the operator what the other call read", async () => {
    const [before] = await balance("rich")
    const leaving = new AbortController()
    const answered = ask("a:1500 b:5000", {}, "rich", leaving.signal).catch(() => undefined)
    const count = fakes.b.asked.length
    await expect.poll(() => fakes.b.asked.length).toBeGreaterThan(count)
    leaving.abort()
    await answered
    const row = await rowOf(`t${asked - 1}`)
    expect(row.attempts.map(({ upstream }) => upstream).sort()).toEqual(["a", "b"])
    expect(row.upstream).toBe("a")
    // 20 tokens at the first route's price, and the input at the second's.
    expect(row.cost_usd).toBeCloseTo(0.2, 9)
    expect(row.upstream_cost_usd).toBeGreaterThan(0.22)
    const [left, held] = await balance("rich")
    expect([before - left, held]).toEqual([expect.closeTo(row.cost_usd, 9), 0])
  })

  it("costs the answer of the second call if the first failed before the client left", async () => {
    const leaving = new AbortController()
    const failures = () => gateway.output().split('"event":"upstream.attempt"').length
    const before = failures()
    const answered = ask("a:400 a-fails b:3000", {}, "rich", leaving.signal).catch(() => undefined)
    await expect.poll(failures).toBeGreaterThan(before)
    leaving.abort()
    await answered
    const row = await rowOf(`t${asked - 1}`)
    expect(row.attempts).toMatchObject([{ upstream: "a", status: 503 }, { upstream: "b" }])
    expect(row.upstream).toBe("b")
    expect(row.cost_usd).toBeCloseTo(0.4, 9)
    expect(row.upstream_cost_usd ?? row.cost_usd).toBeCloseTo(row.cost_usd, 9)
  })

  it("asks only routes that the balance covers", async () => {
    // The maximum is about 0.3 dollars at the first route and 0.6 at the second.
    const first = await ask("a:500", {}, "poor")
    expect(first.upstream).toBe("b")
    // Now about 1.6 and 3.2, of 2.6 dollars.
    const before = fakes.b.asked.length
    const second = await ask("a:500", { max_tokens: 150 }, "poor")
    expect([second.upstream, fakes.b.asked.length]).toEqual(["a", before])
    const [left, held] = await balance("poor")
    expect([left >= 0, held]).toEqual([true, 0])
  })

  it("waits for a place of the second route, and leaves the queue when the first answers", async () => {
    // The only place is taken by a hedge of another request.
    const holding = ask("a:3000 b:9000", { model: "narrow" })
    const count = fakes.b.asked.length
    await expect.poll(() => fakes.b.asked.length).toBeGreaterThan(count)
    const { tag, upstream } = await ask("a:500 b:0", { model: "narrow" })
    expect([upstream, fakes.b.asked.length]).toEqual(["a", count + 1])
    const row = await rowOf(tag)
    // The second was never sent.
    expect(row.upstream_cost_usd ?? row.cost_usd).toBeCloseTo(row.cost_usd, 9)
    await holding
    expect((await ask("a:3000 b:0", { model: "narrow" })).upstream).toBe("b")
  })

  it("leaves circuits closed and routes awake, however often its first is cancelled", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => ask("a:2000")))
    expect(new Set(many.map(({ upstream }) => upstream))).toEqual(new Set(["b"]))
    expect((await ask("a:0")).upstream).toBe("a")
  })
})
