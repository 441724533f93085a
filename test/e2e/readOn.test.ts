import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { connect } from "../responses/socket/connect.ts"
import type { DialectName } from "../upstreams/fakes/fakeUpstream.ts"
import { pacedUpstream } from "./pacedUpstream.ts"

const dialectNames = ["openai-chat", "anthropic-messages", "openai-responses"] as const
const upstreams = Object.fromEntries(dialectNames.map((name) => [name, pacedUpstream(name)]))
const upstreamOf = (name: DialectName) => {
  const upstream = upstreams[name]
  if (upstream === undefined) throw new Error(name)
  return upstream
}
const baseUrl = (name: DialectName) => `${upstreamOf(name).url}${name === "anthropic-messages" ? "" : "/v1"}`

/** One of an unknown host, and one of a provider that bills a stream to its end. */
const entriesOf = (name: DialectName) => {
  const entry = { protocol: name, base_url: baseUrl(name), api_key: "upstream-key" }
  return [
    [`${name}-stops`, entry],
    [`${name}-runs`, { ...entry, provider: "mistral" }]
  ] as const
}
const price = { input: 1_000, output: 1_000, service_tier: { priority: 2 } }
const secret = "rich-secret-0123456789-0123456789"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-readon-"))
  const entries = dialectNames.flatMap(entriesOf)
  const model = (...routes: ReadonlyArray<string>) => ({ routes: routes.map((upstream) => ({ upstream })), price })
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(entries),
      models: {
        ...Object.fromEntries(entries.map(([name]) => [name, model(name)])),
        vectors: { ...model("openai-chat-stops"), kind: "embedding" },
        twice: model("openai-chat-stops", "openai-responses-stops"),
        falling: { ...model("openai-chat-stops"), fallbacks: { failed: "anthropic-messages-stops" } }
      },
      keys: [{ name: "rich", secret, balance_usd: 10_000, limits: { concurrent_requests: 100 } }]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  for (const one of Object.values(upstreams)) await one.stop()
})

const bodies = {
  "/v1/chat/completions": (text: string) => ({ messages: [{ role: "user", content: text }] }),
  "/v1/messages": (text: string) => ({ messages: [{ role: "user", content: text }], max_tokens: 100 }),
  "/v1/responses": (text: string) => ({ input: text })
} as const
type Path = keyof typeof bodies
const paths = ["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const satisfies ReadonlyArray<Path>

let count = 0
/** A request that names its call at the upstream, and can be left. */
const ask = (path: Path, model: string, { words = "", headers = {}, more = {}, stream = false } = {}) => {
  const id = `n${count++}`
  const leaving = new AbortController()
  const answer = request(gateway, path, {
    key: secret,
    body: { model, stream, ...bodies[path](`call:${id} ${words}`), ...more },
    headers: { "x-gateway-tags": id, ...headers },
    signal: leaving.signal
  })
  answer.catch(() => {})
  return { id, answer, leave: () => leaving.abort() }
}

interface Row {
  readonly status: number
  readonly error: string | null
  readonly cost_usd: number | null
  readonly output_tokens: number
  readonly notes: ReadonlyArray<string>
}
const rowsOf = async (tag: string): Promise<ReadonlyArray<Row>> => {
  const response = await request(gateway, `/v1/requests?tag=${tag}`, { key: secret })
  return ((await response.json()) as { data: ReadonlyArray<Row> }).data
}
const rowOf = async (tag: string): Promise<Row | undefined> => {
  await expect.poll(() => rowsOf(tag)).toHaveLength(1)
  return (await rowsOf(tag))[0]
}
const held = async () => {
  const response = await request(gateway, "/v1/balance", { key: secret })
  return Number(((await response.json()) as { held: { usd: string } }).held.usd)
}

/** The cost of the same request, whose client stays. */
const staying = async (path: Path, model: string, stream: boolean) => {
  const { answer, id } = ask(path, model, { stream })
  upstreamOf(dialectOf(model)).release(id)
  await (await answer).text()
  return rowOf(id)
}
const dialectOf = (model: string) => dialectNames.find((name) => model.startsWith(name)) ?? "openai-chat"

const cases = paths.flatMap((path) => dialectNames.map((dialect) => ({ path, dialect })))

describe("a stream that its client leaves", () => {
  it.each(cases)("is read on and charged as told, where the provider bills it: $path by $dialect", async (one) => {
    const { dialect, path } = one
    const upstream = upstreamOf(dialect)
    const model = `${dialect}-runs`
    const stayed = await staying(path, model, true)
    for (const words of ["", "late:on"]) {
      const { answer, id, leave } = ask(path, model, { stream: true, words })
      await expect.poll(() => upstream.state(id)).toBe("open")
      if (words === "") await (await answer).body?.getReader().read()
      leave()
      await Bun.sleep(200)
      expect(upstream.state(id)).toBe("open")
      expect(await rowsOf(id)).toEqual([])
      expect(await held()).toBeGreaterThan(0)
      upstream.release(id)
      const row = await rowOf(id)
      expect(upstream.state(id)).toBe("answered")
      expect(row).toMatchObject({ status: words === "" ? 200 : 499, error: "hang_up", cost_usd: stayed?.cost_usd })
      expect(row?.notes).toEqual(stayed?.notes)
      expect(await held()).toBe(0)
    }
  })

  it.each(cases)("takes its call along elsewhere, and pays for what was made: $path by $dialect", async (one) => {
    const { dialect, path } = one
    const upstream = upstreamOf(dialect)
    const model = `${dialect}-stops`
    const { answer, id, leave } = ask(path, model, { stream: true })
    await (await answer).body?.getReader().read()
    leave()
    await expect.poll(() => upstream.state(id)).toBe("left")
    const row = await rowOf(id)
    expect(row).toMatchObject({ error: "hang_up", notes: ["usage_counted"] })
    expect(row?.cost_usd).toBeGreaterThan(0)
    expect(row?.cost_usd).toBeLessThan(Number((await staying(path, model, true))?.cost_usd))
    expect(await held()).toBe(0)
  })

  it("pays at the tier that it asked for", async () => {
    const costs = []
    for (const more of [{}, { service_tier: "priority" }]) {
      const { answer, id, leave } = ask("/v1/responses", "openai-responses-stops", { stream: true, more })
      await (await answer).body?.getReader().read()
      leave()
      costs.push((await rowOf(id))?.cost_usd)
    }
    expect(costs[1]).toBeCloseTo(2 * Number(costs[0]), 9)
  })

  it("pays nothing if the upstream breaks off", async () => {
    const upstream = upstreamOf("openai-chat")
    const { answer, id, leave } = ask("/v1/chat/completions", "openai-chat-runs", { stream: true, words: "fails:on" })
    await (await answer).body?.getReader().read()
    leave()
    await Bun.sleep(100)
    upstream.release(id)
    expect(await rowOf(id)).toMatchObject({ error: "hang_up", cost_usd: 0 })
    expect(await held()).toBe(0)
  })
})

describe("a socket that its client leaves", () => {
  it("is read on and charged as told, where the provider bills it", async () => {
    const upstream = upstreamOf("openai-responses")
    const model = "openai-responses-runs"
    const stayed = await staying("/v1/responses", model, true)
    const socket = await connect(gateway.url, secret)
    const id = `n${count++}`
    socket.send({ model, input: `call:${id} `, metadata: { name: id } })
    await expect.poll(() => upstream.state(id)).toBe("open")
    socket.ws.close()
    await Bun.sleep(200)
    expect(upstream.state(id)).toBe("open")
    upstream.release(id)
    expect(await rowOf(`name%3D${id}`)).toMatchObject({ error: "hang_up", cost_usd: stayed?.cost_usd })
    expect(await held()).toBe(0)
  })
})

describe("a whole answer that its client leaves", () => {
  it("is read on and charged in full: embeddings", async () => {
    const upstream = upstreamOf("openai-chat")
    const id = `n${count++}`
    const leaving = new AbortController()
    const answer = request(gateway, "/v1/embeddings", {
      key: secret,
      body: { model: "vectors", input: `call:${id} ` },
      headers: { "x-gateway-tags": id },
      signal: leaving.signal
    })
    answer.catch(() => {})
    await expect.poll(() => upstream.state(id)).toBe("open")
    leaving.abort()
    await Bun.sleep(200)
    upstream.release(id)
    const row = await rowOf(id)
    expect(row).toMatchObject({ status: 499, error: "hang_up", notes: [] })
    expect(row?.cost_usd).toBeCloseTo(0.007, 9)
  })

  it.each(cases)("is read on and charged in full: $path by $dialect", async ({ dialect, path }) => {
    const upstream = upstreamOf(dialect)
    const model = `${dialect}-stops`
    const stayed = await staying(path, model, false)
    const { id, leave } = ask(path, model)
    await expect.poll(() => upstream.state(id)).toBe("open")
    leave()
    await Bun.sleep(200)
    expect(upstream.state(id)).toBe("open")
    expect(await rowsOf(id)).toEqual([])
    upstream.release(id)
    const row = await rowOf(id)
    expect(row).toMatchObject({ status: 499, error: "hang_up", cost_usd: stayed?.cost_usd, notes: stayed?.notes })
    expect(await held()).toBe(0)
  })

  it.each(
    paths.flatMap(
      (path) =>
        [
          [path, "during"],
          [path, "after"]
        ] as const
    )
  )("is kept for the retry of its Idempotency-Key: %s, %s it", async (path, when) => {
    const upstream = upstreamOf("openai-chat")
    const headers = { "idempotency-key": `kept-${path}-${when}` }
    const { id, leave } = ask(path, "openai-chat-stops", { headers })
    await expect.poll(() => upstream.state(id)).toBe("open")
    leave()
    await Bun.sleep(200)
    const retry = () =>
      request(gateway, path, {
        key: secret,
        body: { model: "openai-chat-stops", stream: false, ...bodies[path](`call:${id} `) },
        headers
      })
    const during = when === "during" ? retry() : undefined
    await Bun.sleep(200)
    upstream.release(id)
    await rowOf(id)
    for (const response of [...(during === undefined ? [] : [await during]), await retry()]) {
      expect(response.status).toBe(200)
      expect(response.headers.get("idempotent-replayed")).toBe("true")
      expect(await response.text()).toContain("usage")
    }
    expect(upstream.times(id)).toBe(1)
    expect(await rowOf(id)).toMatchObject({ error: "hang_up" })
  })

  it.each(["twice", "falling"])("costs nothing if it fails later, and no other route is asked: %s", async (model) => {
    const upstream = upstreamOf("openai-chat")
    const { id, leave } = ask("/v1/chat/completions", model, { words: "fails:on" })
    await expect.poll(() => upstream.state(id)).toBe("open")
    leave()
    await Bun.sleep(200)
    upstream.release(id)
    expect(await rowOf(id)).toMatchObject({ status: 499, error: "hang_up", cost_usd: null })
    expect(dialectNames.map((name) => upstreamOf(name).times(id))).toEqual([1, 0, 0])
    expect(await held()).toBe(0)
  })
})

describe("answers without their clients", () => {
  it("are 64 at most: the next ones are cancelled, and pay for what was made", async () => {
    const upstream = upstreamOf("openai-chat")
    const all = Array.from({ length: 70 }, () => ask("/v1/chat/completions", "openai-chat-stops"))
    const states = () => all.map(({ id }) => upstream.state(id))
    await expect.poll(states, { timeout: 10_000 }).toEqual(all.map(() => "open"))
    for (const { leave } of all) leave()
    await expect.poll(() => states().filter((state) => state === "left").length).toBe(6)
    await Bun.sleep(100)
    expect(states().filter((state) => state === "open").length).toBe(64)
    for (const { id } of all) upstream.release(id)
    for (const { id } of all) {
      const row = await rowOf(id)
      expect(row).toMatchObject({ status: 499, error: "hang_up" })
      const isLeft = upstream.state(id) === "left"
      expect(row?.notes.includes("usage_counted")).toBe(isLeft)
      expect(row?.cost_usd).toBeGreaterThan(0)
    }
    expect(await held()).toBe(0)
  })
})
