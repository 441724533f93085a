import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import { startGateway } from "../../gatewayHere.ts"

/** A messages server behind a query that remembers the betas of each request. */
const seen: Array<readonly [path: string, betas: string | null]> = []
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers, url }) => {
    const { pathname, search } = new URL(url)
    seen.push([pathname + search, headers.get("anthropic-beta")])
    if (pathname.endsWith("count_tokens")) return Response.json({ input_tokens: 7 })
    return Response.json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "there",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 }
    })
  }
})
afterAll(() => server.stop(true))

it("are passed on as the upstream's `anthropic_beta` says, dropped ones are named, and an address may have a query", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-betas-"))
  const base = { protocol: "anthropic-messages", base_url: `http://127.0.0.1:${server.port}/a?api-version=1` }
  const upstreams = {
    all: base,
    some: { ...base, anthropic_beta: { allow: ["one", "two"] } },
    none: { ...base, anthropic_beta: { allow: [] } },
    most: { ...base, anthropic_beta: { drop: ["one", "three"] } }
  }
  const models = { all: "all", some: "some", none: "none", most: "most" }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  const gateway = await startGateway({ folder })
  const ask = async (model: string, path = "", headers = {}) => {
    const body = { model, max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }
    const betas = { "anthropic-beta": "one, three,two", ...headers }
    const answer = await request(gateway, `/v1/messages${path}`, { body, headers: betas })
    await answer.body?.cancel()
    return [answer.status, answer.headers.get("x-gateway-adapted"), seen.at(-1)]
  }
  const at = "/a/v1/messages?api-version=1"
  try {
    expect(await ask("all")).toEqual([200, null, [at, "one, three,two"]])
    expect(await ask("some")).toEqual([200, "anthropic-beta.three", [at, "one,two"]])
    expect(await ask("most")).toEqual([200, "anthropic-beta.one, anthropic-beta.three", [at, "two"]])
    expect(await ask("most", "", { "anthropic-beta": "three" })).toEqual([200, "anthropic-beta.three", [at, null]])
    expect(await ask("none")).toEqual([200, "anthropic-beta.one, anthropic-beta.three, anthropic-beta.two", [at, null]])
    expect(await ask("some", "/count_tokens")).toEqual([
      200,
      null,
      ["/a/v1/messages/count_tokens?api-version=1", "one,two"]
    ])
    const before = seen.length
    expect((await ask("some", "", { "x-gateway-strict": "true" }))[0]).toBe(400)
    expect(seen).toHaveLength(before)
  } finally {
    await gateway.dispose()
  }
})
