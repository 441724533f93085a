import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { json, path as videos, until } from "./videoTask.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
let down: string | undefined
const fake = (name: string) =>
  fakeUpstream("openai-chat", {
    answer: ({ path }) => {
      if (down === name) return Response.json({ error: { message: "no" } }, { status: 503 })
      if (!path.endsWith("/embeddings")) return undefined
      return Response.json({
        object: "list",
        model: "m",
        data: [{ object: "embedding", index: 0, embedding: [0.1] }],
        usage: { prompt_tokens: 1, total_tokens: 1 }
      })
    }
  })
const chats = { a: fake("a"), b: fake("b"), c: fake("c"), other: fake("other") }
const arks = { north: fakeArk(), south: fakeArk() }
let gateway: GatewayHere

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-chosen-"))
  const key = (name: string, more: object = {}) => ({ name, secret: secretOf(name), ...more })
  const routes = (...names: ReadonlyArray<string>) => ({ routes: names.map((upstream) => ({ upstream, model: "m" })) })
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        ...Object.fromEntries(
          Object.entries(chats).map(([name, { url }]) => [name, { protocol: "openai-chat", base_url: `${url}/v1` }])
        ),
        ...Object.fromEntries(
          Object.entries(arks).map(([name, { baseUrl }]) => [
            name,
            { protocol: "ark-video", base_url: baseUrl, api_key: arkKey }
          ])
        )
      },
      models: {
        text: routes("a", "b", "c"),
        elsewhere: routes("other"),
        "an-embedding": routes("a", "b"),
        film: routes("north", "south")
      },
      keys: [
        key("free", { choose_route: true }),
        key("plain"),
        key("bound", { upstreams: ["b", "c", "gone"], choose_route: true }),
        key("lost", { upstreams: ["gone"] })
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([...Object.values(chats).map((one) => one.stop()), ...Object.values(arks).map((one) => one.stop())])
})

const messages = [{ role: "user", content: "hi" }]
const bodies: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { model: "text", messages },
  "/v1/messages": { model: "text", max_tokens: 50, messages },
  "/v1/responses": { model: "text", input: "hi" },
  "/v1/embeddings": { model: "an-embedding", input: "hi" }
}

const ask = (name: string, choice: string | undefined, path = "/v1/chat/completions", body = bodies[path]) =>
  request(gateway, path, {
    key: secretOf(name),
    body,
    headers: choice === undefined ? {} : { "x-gateway-route": choice }
  })

const messageOf = async (answer: Response): Promise<string> => {
  const body = (await answer.json()) as { error: { message: string } }
  return body.error.message
}

describe("a request that chooses its routes", () => {
  it.each(Object.keys(bodies))("goes to those that it names: %s", async (path) => {
    const chosen = await ask("free", "only=b", path)
    expect([chosen.status, chosen.headers.get("x-gateway-upstream")]).toEqual([200, "b"])
    expect((await ask("free", undefined, path)).headers.get("x-gateway-upstream")).toBe("a")
  })

  it("goes to another of them if one fails, and with no_fallback to the first alone", async () => {
    down = "b"
    const next = await ask("free", "only=b,c")
    const before = chats.c.asked.length
    const alone = await ask("free", "no_fallback; only=b,c")
    down = undefined
    expect([next.status, next.headers.get("x-gateway-upstream")]).toEqual([200, "c"])
    expect([alone.status, chats.c.asked.length]).toEqual([500, before])
  })

  it.each([
    ["only=a,nowhere", 'x-gateway-route: "nowhere" is no upstream of the model "text"; choose from a, b, c'],
    ["only=other", 'x-gateway-route: "other" is no upstream of the model "text"; choose from a, b, c'],
    ["only=", "expected only=<upstream>"],
    ["", "expected only=<upstream>"],
    ["only=a; only=b", 'each once; got "only=b"'],
    ["no_fallback; no_fallback", 'each once; got "no_fallback"'],
    ["a", 'each once; got "a"'],
    [`only=${"a,".repeat(2_100)}a`, "4096 characters at most"]
  ])("gets a 400 that names the rule: %s", async (choice, message) => {
    const refused = await ask("free", choice)
    expect([refused.status, await messageOf(refused)]).toEqual([400, expect.stringContaining(message)])
  })

  it("is refused if the header stands twice or is huge, and the gateway goes on", async () => {
    const headers = new Headers({ authorization: `Bearer ${secretOf("free")}`, "content-type": "application/json" })
    headers.append("x-gateway-route", "only=a")
    headers.append("x-gateway-route", "no_fallback")
    const body = JSON.stringify(bodies["/v1/chat/completions"])
    const post = (given: Headers) =>
      fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers: given, body })
    const twice = await post(headers)
    expect([twice.status, await messageOf(twice)]).toEqual([
      400,
      expect.stringContaining('"no_fallback" is no upstream')
    ])
    headers.set("x-gateway-route", `only=${"a".repeat(10_000_000)}`)
    // The server may close the connection before it has read them all.
    const huge = await post(headers).then(
      ({ status }) => status,
      () => 431
    )
    expect(huge).toBeGreaterThanOrEqual(400)
    expect((await ask("free", "only=a")).status).toBe(200)
  })

  it.each(Object.keys(bodies))("needs a key that may choose: %s", async (path) => {
    const refused = await ask("plain", "only=a", path)
    expect([refused.status, await messageOf(refused)]).toEqual([403, expect.stringContaining("choose_route: true")])
  })

  it("may be counted and quoted, by the same rules", async () => {
    const quote = (name: string, choice: string) => ask(name, choice, "/v1/quote", bodies["/v1/messages"])
    const counted = (name: string, choice: string) =>
      ask(name, choice, "/v1/messages/count_tokens", { model: "text", messages })
    for (const call of [quote, counted]) {
      const statuses = [call("free", "only=a"), call("free", "only=x"), call("plain", "only=a"), call("lost", "only=a")]
      expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 400, 403, 403])
    }
  })

  it("keeps its choice as a background response and as an async message", async () => {
    const background = await json(
      ask("free", "only=c", "/v1/responses", { model: "text", input: "later", background: true })
    )
    const async = await json(ask("free", "only=c", "/v1/messages", { ...bodies["/v1/messages"], async: true }))
    const read = (path: string) => json(request(gateway, path, { key: secretOf("free") }))
    const before = [chats.a.asked.length, chats.b.asked.length]
    await until(
      () => read(`/v1/responses/${background.id}`),
      ({ status }) => status === "completed"
    )
    await until(
      () => read(`/v1/tasks/${async.id}`),
      ({ status }) => status === "success"
    )
    expect(chats.c.asked.some(({ text }) => text.includes("later"))).toBe(true)
    expect([chats.a.asked.length, chats.b.asked.length]).toEqual(before)
  })

  it("may be a video", async () => {
    const body = { model: "film", content: [{ type: "text", text: "in the south" }] }
    const made = await json(ask("free", "only=south", videos, body))
    await until(
      () => arks.south.tasks.length,
      (count) => count > 0
    )
    expect([made.id, arks.north.tasks.length]).toEqual([expect.stringMatching(/^cgt-/), 0])
    const refused = await Promise.all([ask("free", "only=a", videos, body), ask("plain", "only=south", videos, body)])
    expect(refused.map(({ status }) => status)).toEqual([400, 403])
  })
})

describe("a key that is bound to upstreams", () => {
  it.each(Object.keys(bodies))("uses these alone: %s", async (path) => {
    const answer = await ask("bound", undefined, path)
    expect([answer.status, answer.headers.get("x-gateway-upstream")]).toEqual([200, "b"])
  })

  it("learns of no others", async () => {
    const refused = await ask("bound", "only=a")
    expect(await messageOf(refused)).toBe('x-gateway-route: "a" is no upstream of the model "text"; choose from b, c')
  })

  it("sees and uses only models with one of them", async () => {
    const { data } = await json(request(gateway, "/v1/models", { key: secretOf("bound") }))
    expect(data.map(({ id }: { id: string }) => id)).toEqual(["text", "an-embedding"])
    const refused = await ask("bound", undefined, undefined, { model: "elsewhere", messages })
    expect([refused.status, await messageOf(refused)]).toEqual([
      403,
      'model: none of the upstreams of this API key serves the model "elsewhere"'
    ])
    const film = await ask("bound", undefined, videos, { model: "film", content: [{ type: "text", text: "x" }] })
    expect(film.status).toBe(403)
  })

  it("can use nothing once they are gone, and the log says so", async () => {
    const statuses = Object.keys(bodies).map(async (path) => (await ask("lost", undefined, path)).status)
    expect(await Promise.all(statuses)).toEqual([403, 403, 403, 403])
    expect(gateway.output()).toContain('\\"lost\\" is bound to the upstream \\"gone\\", to which no model has a route')
  })
})
