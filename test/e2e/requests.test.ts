import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { program } from "./program.ts"

const down = fakeUpstream("openai-chat", {
  answer: () =>
    Response.json({ error: { message: "no room", type: "t" } }, { status: 503, headers: { "x-request-id": "theirs" } })
})
const fine = fakeUpstream("openai-chat")
const adminKey = "admin-key-0123456789abcdefgh"
const otherKey = "other-key-0123456789abcdefgh"

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-requests-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  down: { protocol: openai-chat, base_url: "${down.url}/v1" }
  fine: { protocol: openai-chat, base_url: "${fine.url}/v1" }
models:
  house:
    routes: [{ upstream: down, model: house-down }, { upstream: fine, model: house-fine }]
    price: { input: 1000, output: 1000 }
keys:
  - { name: other, secret: ${otherKey}, account: other }
`
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([down.stop(), fine.stop()])
})

const get = async (path: string, key = gateway.key) => {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const ask = async (path: string, body: object, headers: object = {}) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  await response.text()
  return { status: response.status, id: response.headers.get("x-request-id") ?? "", headers: response.headers }
}

/** Written a moment after the answer. */
const kept = async (id: string, key?: string) => {
  await expect.poll(async () => (await get(`/v1/requests/${id}`, key)).status, { timeout: 10_000 }).toBe(200)
  return (await get(`/v1/requests/${id}`, key)).json
}

const messages = [{ role: "user", content: "hello" }]

describe("a request that is over", () => {
  it("can be read by whose it was: who answered after which calls, what it used and cost", async () => {
    const body = { model: "house", messages, user: "ada" }
    const { headers, id } = await ask("/v1/chat/completions", body, { "x-gateway-tags": "team=blue" })
    const request = await kept(id)
    const calls: ReadonlyArray<{ readonly offset_ms: number; readonly duration_ms: number }> = JSON.parse(
      JSON.stringify(request["attempts"])
    )
    const ends = calls.map(({ duration_ms, offset_ms }) => offset_ms + duration_ms)
    // All are rounded.
    expect(calls[0]?.offset_ms).toBeGreaterThanOrEqual(0)
    expect(calls[1]?.offset_ms).toBeGreaterThanOrEqual((ends[0] ?? 0) - 2)
    expect(request["duration_ms"]).toBeGreaterThanOrEqual((ends[1] ?? 0) - 2)
    expect(request).toMatchObject({
      object: "request",
      request_id: id,
      account: "default",
      family: "chat",
      endpoint: "/v1/chat/completions",
      model: "house",
      upstream: "fine",
      upstream_model: "house-fine",
      attempts: [
        { upstream: "down", upstream_model: "house-down", status: 503, upstream_request_id: "theirs" },
        { upstream: "fine", upstream_model: "house-fine", status: 200, error: null }
      ],
      status: 200,
      error: null,
      stream: false,
      cost_usd: Number(headers.get("x-gateway-cost-usd")),
      tags: ["team=blue"],
      end_user: "ada",
      idempotency: null
    })
  })

  it("is there though it failed before it began", async () => {
    const { id, status } = await ask("/v1/messages", { model: "nothing", max_tokens: 5, messages })
    expect(status).toBe(400)
    expect(await kept(id)).toMatchObject({ status: 400, error: "unknown_model", model: "nothing", attempts: [] })
  })

  it("says that it was answered as an earlier one", async () => {
    const body = { model: "house", messages: [{ role: "user", content: "once" }] }
    const [first, second] = [
      await ask("/v1/chat/completions", body, { "idempotency-key": "k1" }),
      await ask("/v1/chat/completions", body, { "idempotency-key": "k1" })
    ]
    expect(await kept(first.id)).toMatchObject({ idempotency: "once", cost_usd: expect.any(Number) })
    expect(await kept(second.id)).toMatchObject({ idempotency: "replayed", cost_usd: null, attempts: [] })
  })

  it("can be read by its account and operators only", async () => {
    const { id } = await ask("/v1/messages", { model: "sandbox-text", max_tokens: 5, messages })
    await kept(id)
    expect(await get(`/v1/requests/${id}`, otherKey)).toMatchObject({ status: 404 })
    expect(await get(`/admin/v1/requests/${id}`, adminKey)).toMatchObject({ status: 200, json: { request_id: id } })
    expect(await get(`/v1/requests/req_nothing`)).toMatchObject({ status: 404 })
  })
})

describe("the operator's list", () => {
  const list = async (query: string) => {
    const { json, status } = await get(`/admin/v1/requests?${query}`, adminKey)
    expect(status).toBe(200)
    return json as { data: ReadonlyArray<Record<string, unknown>>; next: string | null }
  }

  it("is the newest first, page by page, of what is asked for", async () => {
    const asked: Array<string> = []
    for (let n = 0; n < 5; n++) {
      asked.unshift((await ask("/v1/responses", { model: "sandbox-text", input: "Hi", metadata: { n: `${n}` } })).id)
    }
    await kept(asked[0]!)
    const seen: Array<unknown> = []
    let after: string | null = ""
    while (after !== null) {
      const page = await list(`family=responses&limit=2${after === "" ? "" : `&after=${after}`}`)
      seen.push(...page.data.map((one) => one["request_id"]))
      after = page.next
    }
    expect(seen).toEqual(asked)
  })

  it.each([
    ["status=4xx", (one: Record<string, unknown>) => Number(one["status"]) >= 400 && Number(one["status"]) < 500],
    ["status=200&model=house", (one: Record<string, unknown>) => one["model"] === "house" && one["status"] === 200],
    ["upstream=fine", (one: Record<string, unknown>) => one["upstream"] === "fine"],
    ["error=unknown_model", (one: Record<string, unknown>) => one["error"] === "unknown_model"],
    ["since=5m&until=2100-01-01", () => true]
  ])("holds with %s what is such, and nothing else", async (query, isSuch) => {
    const { data } = await list(query)
    expect(data.length).toBeGreaterThan(0)
    expect(data.every(isSuch)).toBe(true)
  })

  it("refuses what is no filter", async () => {
    for (const query of ["status=9xx", "since=soon", "statuz=200"]) {
      expect((await get(`/admin/v1/requests?${query}`, adminKey)).status).toBe(400)
    }
  })
})

describe("a conversation", () => {
  it("is found by its session, with its sums, in its own account alone", async () => {
    const session = { "x-claude-code-session-id": "session-1" }
    const asked = [await ask("/v1/chat/completions", { model: "house", messages }, session)]
    asked.push(await ask("/v1/messages", { model: "sandbox-text", max_tokens: 5, messages }, session))
    for (const { id } of asked) await kept(id)
    const { json } = await get("/v1/requests?conversation=session-1")
    expect(json).toMatchObject({
      data: asked.toReversed().map(({ id }) => ({ request_id: id, conversation: "session-1" })),
      totals: { requests: 2, cost_usd: Number(asked[0]?.headers.get("x-gateway-cost-usd")) }
    })
    expect((await get("/v1/requests?conversation=session-1", otherKey)).json).toMatchObject({ data: [] })
    expect((await get("/admin/v1/requests?conversation=session-1", adminKey)).status).toBe(400)
    const all = await get("/admin/v1/requests?conversation=session-1&account=default", adminKey)
    expect(all.json).toMatchObject({ totals: { requests: 2 } })
  })

  it("is the chain of responses that continue one another", async () => {
    const create = async (body: object) => {
      const response = await fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "sandbox-text", input: "Hi", ...body })
      })
      const { id } = (await response.json()) as { id: string }
      return { id, request: response.headers.get("x-request-id") ?? "" }
    }
    const first = await create({})
    const second = await create({ previous_response_id: first.id })
    const third = await create({ previous_response_id: second.id, background: true })
    for (const { request } of [first, second, third]) {
      expect(await kept(request)).toMatchObject({ conversation: first.id, key_name: "first key" })
    }
  })
})

describe("an export", () => {
  const all = async (query: string, key: string, base = "/admin/v1") => {
    const response = await fetch(`${gateway.url}${base}/requests/export?${query}`, {
      headers: { authorization: `Bearer ${key}` }
    })
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
  }

  it("has all rows of the list, as CSV that no spreadsheet runs, and as JSON lines", async () => {
    const { id } = await ask("/v1/chat/completions", { model: "house", messages, user: "=HYPERLINK(1)" })
    await kept(id)
    const listed = (await get("/admin/v1/requests?model=house&limit=1000", adminKey)).json["data"]
    const lines = await all("model=house&format=jsonl", adminKey)
    expect(
      lines.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toEqual(listed)
    const csv = await all("model=house", adminKey)
    expect(csv.type).toBe("text/csv; charset=utf-8")
    const [head = "", ...rows] = csv.text.trimEnd().split("\r\n")
    expect(rows).toHaveLength((listed as ReadonlyArray<unknown>).length)
    const cells = rows[0]?.split(",") ?? []
    expect(cells[head.split(",").indexOf("request_id")]).toBe(id)
    expect(cells[head.split(",").indexOf("end_user")]).toBe("'=HYPERLINK(1)")
    expect((await all("model=house", otherKey, "/v1")).text).toBe(`${head}\r\n`)
    expect((await all("format=xml", adminKey)).status).toBe(400)
    expect((await all("format=jsonl", otherKey)).status).toBe(401)
  })
})

describe("the command line", () => {
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await runCommand(gateway.folder, ["requests", ...args])
    expect([code, err]).toEqual([0, ""])
    return out
  }

  it("lists requests and shows one, with its attempts", async () => {
    const { id } = await ask("/v1/chat/completions", { model: "house", messages })
    await kept(id)
    const listed = (await run("list", "--model", "house", "--status", "2xx", "--limit", "1")).trimEnd().split("\n")
    expect(listed[0]).toMatch(/^TIME +REQUEST +ACCOUNT +MODEL +UPSTREAM +STATUS +MS +TOKENS +COST$/)
    expect(listed).toHaveLength(2)
    expect(listed[1]).toContain(id)
    const shown = await run("show", id)
    expect(shown).toMatch(/answered +fine \(house-fine\)/)
    expect(shown).toMatch(/\d +fine +house-fine +200/)
    const [, cost] = /^cost +(\$\S+)$/m.exec(shown) ?? []
    expect(shown).toMatch(new RegExp(`^upstream cost +\\${cost}$`, "m"))
    expect(shown).toMatch(/^settled +\d{4}-\d\d-\d\dT/m)
    expect(JSON.parse(await run("show", id, "--json"))).toMatchObject({ request_id: id, upstream: "fine" })
    const unknown = await runCommand(gateway.folder, ["requests", "show", "req_nothing"])
    expect([unknown.code, unknown.err]).toEqual([3, 'gateway: no request "req_nothing" is kept\n'])
  })

  it("exports them, and shows the conversation of one", async () => {
    const headers = { "x-session-id": "session-2" }
    const { id } = await ask("/v1/chat/completions", { model: "house", messages }, headers)
    await kept(id)
    const exported = (await run("export", "--model", "house", "--format", "jsonl")).trimEnd().split("\n")
    expect(JSON.parse(exported[0] ?? "")).toMatchObject({ request_id: id })
    const shown = await run("conversation", id)
    expect(shown).toContain("1 request since")
    expect(shown).toContain("accounts.default.record.bodies: on")
    expect(JSON.parse(await run("conversation", id, "--json"))).toMatchObject({ thread: { totals: { requests: 1 } } })
    const why = await ask("/v1/messages", { model: "nothing", max_tokens: 5, messages })
    await kept(why.id)
    expect(await run("show", why.id)).toMatch(/^why +No model of this name is served\./m)
  })

  it("follows them as they end", async () => {
    const child = Bun.spawn([...program(), "requests", "tail", "--model", "sandbox-text", "--json"], {
      cwd: gateway.folder,
      stdout: "pipe",
      stderr: "inherit",
      env: { PATH: process.env["PATH"] ?? "", HOME: gateway.folder }
    })
    const reader = child.stdout.getReader()
    const first = reader.read()
    let isThere = false
    void first.then(() => (isThere = true))
    const asked: Array<string> = []
    while (!isThere) {
      asked.push((await ask("/v1/messages", { model: "sandbox-text", max_tokens: 5, messages })).id)
      await Bun.sleep(200)
    }
    const line = new TextDecoder().decode((await first).value).split("\n")[0] ?? ""
    child.kill()
    await child.exited
    expect(asked).toContain((JSON.parse(line) as { request_id: string }).request_id)
  })
})
