import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { runCommand } from "./command.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-live-"))
const asked: Array<string> = []

/** An upstream that lists its models, one that lists none but answers, one that wants another key. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search}`)
    const isKnown = request.headers.get("authorization") === "Bearer sk-planted"
    if (!isKnown) return Response.json({ error: { message: "no such key sk-other" } }, { status: 401 })
    if (pathname === "/lists/v1/models") return Response.json({ object: "list", data: [{ id: "one" }, { id: "two" }] })
    if (pathname === "/silent/v1/chat/completions") {
      const { max_tokens, model } = (await request.json()) as { max_tokens?: number; model: string }
      asked.push(`${model} ${max_tokens}`)
      return Response.json({
        id: "c",
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content: "H" }, finish_reason: "length" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      })
    }
    if (pathname === "/clips/contents/generations/tasks") return Response.json({ items: [], total: 0 })
    return new Response("nothing here", { status: 404 })
  }
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

const check = (yaml: string, key = "sk-planted") => {
  asked.length = 0
  writeFileSync(join(folder, "gateway.yaml"), yaml.replaceAll("$base", `http://127.0.0.1:${server.port}`))
  return runCommand(folder, ["check", "--live"], { KEY: key })
}

const all = `upstreams:
  lists: { protocol: openai-chat, base_url: "$base/lists/v1", api_key: "\${KEY}" }
  silent: { protocol: openai-chat, base_url: "$base/silent/v1", api_key: "\${KEY}" }
  videos: { protocol: ark-video, base_url: "$base/clips", api_key: "\${KEY}" }
models:
  first: { routes: [{ upstream: lists, model: one }] }
  small: { routes: [{ upstream: silent, model: tiny }] }
  clip: { routes: [{ upstream: videos }] }
`

const unpriced = "gateway: models without a price, refused where money is counted: first, small, clip\n"

describe("gateway check --live", () => {
  it("asks every upstream: for its list, else for a token, and videos for nothing that costs", async () => {
    const { code, err, out } = await check(all)
    expect([code, err]).toEqual([0, unpriced])
    expect(out).toMatch(/^lists +yes +\d+ ms +2 +list$/m)
    expect(out).toMatch(/^silent +yes +\d+ ms +a token of tiny$/m)
    expect(out).toMatch(/^videos +yes +\d+ ms +list$/m)
    expect(out).toContain("Every upstream answers.")
    expect(asked.toSorted()).toEqual([
      "GET /clips/contents/generations/tasks?page_size=1",
      "GET /lists/v1/models",
      "GET /silent/v1/models",
      "POST /silent/v1/chat/completions",
      "tiny 1"
    ])
    expect(out).not.toContain("sk-planted")
  })

  it("names the setting to change, and no secret", async () => {
    const { code, err, out } = await check(all, "sk-other")
    expect([code, err]).toEqual([1, `${unpriced}gateway: 3 problems\n`])
    expect(out).toMatch(/^lists +no /m)
    expect(out).toContain(
      "lists: it answers with status 401\n  look at: the upstream does not accept upstreams.lists.api_key"
    )
    expect(out).not.toContain("sk-other")
  })

  it("finds routes to models that are not there, and upstreams that are not", async () => {
    const { code, out } = await check(`upstreams:
  lists: { protocol: openai-chat, base_url: "$base/lists/v1", api_key: "\${KEY}" }
  away: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1" }
models:
  first: { routes: [{ upstream: lists, model: onne }] }
`)
    expect(code).toBe(1)
    expect(out).toContain('lists does not list "onne"; it lists one, two\n  look at: models.first.routes')
    expect(out).toMatch(/^away: .*\n {2}look at: nothing listens at upstreams\.away\.base_url$/m)
  })

  it("asks with each key of several, and names the one that is refused by its place", async () => {
    const { code, out } = await check(`upstreams:
  lists: { protocol: openai-chat, base_url: "$base/lists/v1", keys: [sk-other, "\${KEY}"] }
models:
  first: { routes: [{ upstream: lists, model: one }] }
`)
    expect(code).toBe(1)
    expect(out).toMatch(/^lists, key 1 +no /m)
    expect(out).toMatch(/^lists, key 2 +yes +\d+ ms +2 +list$/m)
    expect(out).toContain(
      "lists, key 1: it answers with status 401\n  look at: the upstream does not accept key 1 of upstreams.lists.keys"
    )
    expect(out).not.toMatch(/sk-other|sk-planted/)
  })

  it("has no upstream to ask if there is only the sandbox", async () => {
    const { code, out } = await check("models: {}\n")
    expect([code, out]).toEqual([0, expect.stringContaining("no upstreams to ask but the sandbox")])
  })
})
