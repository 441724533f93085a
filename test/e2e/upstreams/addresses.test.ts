import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { tried } from "../../places/places.ts"
import { startStrict } from "../../places/strict/strict.ts"
import { pixel } from "../../upstreams/conversations.ts"
import { plan, startFileServer } from "../../upstreams/fakes/fileServer.ts"

const files = startFileServer()
const strict = startStrict()
/** The bodies that upstreams got, in front of the strict places. */
const sent: Array<string> = []
const recorder = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const url = new URL(request.url)
    const body = await request.text()
    sent.push(body)
    if (url.pathname.startsWith("/away")) return new Response("busy", { status: 503 })
    const { headers, method } = request
    return fetch(`${strict.url}${url.pathname}${url.search}`, { method, headers, body })
  }
})

/** The places of the test with a model of each that reads images; all but the last take PDFs. */
const places = {
  "bedrock-invoke": "us.anthropic.claude-opus-4-6-v1:0",
  "bedrock-mantle": "anthropic.claude-opus-4-8",
  "vertex-claude": "claude-opus-4-8",
  "bedrock-converse": "us.anthropic.claude-opus-4-6-v1:0",
  ollama: "llava"
} as const
const pdfPlaces = Object.keys(places).filter((place) => place !== "ollama")

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-addresses-"))
  const base = `http://127.0.0.1:${recorder.port}`
  const row = (place: string) => ({ ...tried[place]?.more, provider: tried[place]?.provider, api_key: "key" })
  const upstreams = Object.fromEntries(
    [...Object.keys(places), "anthropic", "vllm"].map((place) => [
      place,
      { ...row(place), base_url: `${base}/${place}` }
    ])
  )
  const unknown = { protocol: "openai-chat", api_key: "key", base_url: `${base}/openai-chat/v1` }
  const away = { ...row("vertex-claude"), base_url: `${base}/away` }
  const route = (upstream: string, model: string) => ({ upstream, model, protocol: tried[upstream]?.protocol })
  const models = {
    ...Object.fromEntries(Object.entries(places).map(([place, model]) => [place, { routes: [route(place, model)] }])),
    anthropic: { routes: [route("anthropic", "claude-opus-4-8")] },
    vllm: { routes: [route("vllm", "Qwen/Qwen3-32B")] },
    unknown: { routes: [{ upstream: "unknown", model: "m" }] },
    twice: {
      routes: [
        { ...route("vertex-claude", "claude-opus-4-8"), upstream: "away" },
        route("bedrock-converse", places["bedrock-converse"])
      ]
    }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams: { ...upstreams, away, unknown }, models }))
  gateway = await startGateway({ folder, env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.1" } })
})
afterAll(async () => {
  await gateway.dispose()
  await recorder.stop(true)
  await strict.stop()
  await files.stop()
})
beforeEach(() => {
  sent.length = 0
  files.asked.length = 0
})

const post = (path: string, body: object, signal?: AbortSignal) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal })
  })

const address = (path: string) => files.url + path
const user = (content: unknown) => ({ role: "user", content })
const block = (path: string, type = "image") => ({ type, source: { type: "url", url: address(path) } })
const tool = { name: "look", input_schema: { type: "object", properties: {} } }

/** A request of each family with an image in a question and in a tool's result. */
const families = {
  "/v1/messages": (path: string) => ({
    max_tokens: 100,
    tools: [tool],
    messages: [
      user([block(path), { type: "text", text: "And that?" }]),
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
      user([{ type: "tool_result", tool_use_id: "toolu_1", content: [block(path)] }])
    ]
  }),
  "/v1/chat/completions": (path: string) => ({
    messages: [
      user([
        { type: "text", text: "?" },
        { type: "image_url", image_url: { url: address(path) } }
      ])
    ]
  }),
  "/v1/responses": (path: string) => ({
    tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
    input: [
      user([{ type: "input_image", image_url: address(path) }]),
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_image", image_url: address(path) }] }
    ]
  })
} as const
const paths = ["/v1/messages", "/v1/chat/completions", "/v1/responses"] as const
/** The first field with an address. */
const fields = {
  "/v1/messages": "messages[0].content[0].source.url",
  "/v1/chat/completions": "messages[0].content[1].image_url.url",
  "/v1/responses": "input[0].content[0].image_url"
}

describe.each(Object.keys(places))("images at addresses for %s", (place) => {
  it.each(paths)("go as bytes, each fetched once: %s", async (path) => {
    for (const stream of [false, true]) {
      files.asked.length = 0
      sent.length = 0
      const answered = await post(path, { model: place, stream, ...families[path]("/picture.png") })
      expect([answered.status, await answered.text()]).toEqual([200, expect.not.stringMatching(/"error":\s*\{/)])
      expect(files.asked).toEqual(["/picture.png"])
      expect(sent).toHaveLength(1)
      expect(sent[0]).toContain(pixel)
      expect(sent[0]).not.toContain(files.url)
    }
  })
})

describe("PDFs at addresses", () => {
  const pdf = plan.toString("base64")
  it.each(pdfPlaces)("go as bytes to %s", async (place) => {
    const asked = [
      ["/v1/messages", { max_tokens: 100, messages: [user([block("/plan.pdf", "document")])] }],
      ["/v1/responses", { input: [user([{ type: "input_file", file_url: address("/plan.pdf") }])] }]
    ] as const
    for (const [path, body] of asked) {
      sent.length = 0
      const answered = await post(path, { model: place, ...body })
      expect([path, answered.status, await answered.text()]).toEqual([path, 200, expect.anything()])
      expect(sent[0]).toContain(pdf)
    }
  })

  it("become text for a server that takes none", async () => {
    const answered = await post("/v1/messages", {
      model: "vllm",
      max_tokens: 100,
      messages: [user([block("/plan.pdf", "document")])]
    })
    expect(answered.status).toBe(200)
    expect(sent[0]).toContain("The plan is simple")
    expect(answered.headers.get("x-gateway-adapted")).toContain("document")
  })

  it("in a caller's own chat completion become text for servers that take none, and pass where the server is unknown", async () => {
    const file = { filename: "plan.pdf", file_data: `data:application/pdf;base64,${pdf}` }
    const messages = [
      user([
        { type: "text", text: "?" },
        { type: "file", file }
      ])
    ]
    for (const model of ["vllm", "ollama"]) {
      sent.length = 0
      const answered = await post("/v1/chat/completions", { model, messages })
      expect([answered.status, answered.headers.get("x-gateway-adapted")]).toEqual([
        200,
        expect.stringContaining("document")
      ])
      expect(sent[0]).toContain("The plan is simple")
      expect(sent[0]).not.toContain(pdf)
    }
    sent.length = 0
    expect((await post("/v1/chat/completions", { model: "unknown", messages })).status).toBe(200)
    expect(sent[0]).toContain(pdf)
  })

  it("are no images, nor images PDFs", async () => {
    const wrong = async (block: object) => {
      const answered = await post("/v1/messages", { model: "vertex-claude", max_tokens: 9, messages: [user([block])] })
      expect(answered.status).toBe(400)
      return answered.text()
    }
    expect(await wrong(block("/plan.pdf"))).toContain(
      "expected an image that the model's upstream reads at the address; got application/pdf"
    )
    expect(await wrong(block("/picture", "document"))).toContain("expected a PDF at the address; got image/png")
    expect(sent).toEqual([])
  })
})

describe("files at addresses", () => {
  it("are left to a place that takes addresses", async () => {
    const answered = await post("/v1/messages", { model: "anthropic", ...families["/v1/messages"]("/picture.png") })
    expect(answered.status).toBe(200)
    expect(files.asked).toEqual([])
    expect(sent[0]).toContain(address("/picture.png"))
  })

  it("serve the next route too", async () => {
    const answered = await post("/v1/messages", { model: "twice", ...families["/v1/messages"]("/picture.png") })
    expect(answered.status).toBe(200)
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.every((body) => body.includes(pixel))).toBe(true)
    expect(files.asked).toEqual(["/picture.png"])
  })

  it("are not fetched to count tokens, which the gateway counts itself", async () => {
    const { messages } = families["/v1/messages"]("/picture.png")
    const answered = await post("/v1/messages/count_tokens", { model: "vertex-claude", messages })
    expect(answered.status).toBe(200)
    expect([files.asked, sent]).toEqual([[], []])
  })

  it("are fetched when a background response runs", async () => {
    const created = await post("/v1/responses", {
      model: "bedrock-converse",
      background: true,
      ...families["/v1/responses"]("/picture.png")
    })
    const { id } = (await created.json()) as { readonly id: string }
    const status = async () => {
      const headers = { authorization: `Bearer ${gateway.key}` }
      const polled = await fetch(`${gateway.url}/v1/responses/${id}`, { headers })
      return ((await polled.json()) as { readonly status: string }).status
    }
    await expect.poll(status, { timeout: 10_000 }).toBe("completed")
    expect(files.asked).toEqual(["/picture.png"])
    expect(sent[0]).toContain(pixel)
  })

  const refusals = [
    ["/gone.png", "expected the address to answer 200; got 404"],
    ["/page.png", "expected a PNG, JPEG, GIF or WebP image or a PDF there"],
    [`/elsewhere?to=${encodeURIComponent("http://169.254.169.254/latest/meta-data")}`, "expected a public address"]
  ] as const
  it.each(paths)("that can't be had are a 400 that names the field: %s", async (path) => {
    for (const place of ["vertex-claude", "bedrock-converse", "ollama"]) {
      for (const [file, reason] of refusals) {
        for (const stream of [false, true]) {
          const answered = await post(path, { model: place, stream, ...families[path](file) })
          const text = await answered.text()
          expect([answered.status, text], file).toEqual([400, expect.stringContaining(`${fields[path]}: ${reason}`)])
          expect(text).toContain("invalid_request_error")
        }
      }
    }
    expect(sent).toEqual([])
  })

  it("are no longer fetched once the client has left", async () => {
    const before = files.gone()
    const leaving = new AbortController()
    const asked = post(
      "/v1/messages",
      { model: "vertex-claude", ...families["/v1/messages"]("/silent.png") },
      leaving.signal
    )
    await expect.poll(() => files.asked).toEqual(["/silent.png"])
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => files.gone()).toBe(before + 1)
    expect(sent).toEqual([])
  })
})
