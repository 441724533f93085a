import { afterAll, beforeAll } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI, { toFile } from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const image = Buffer.from("not a picture").toString("base64")
export const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

const answer = (n: number, prompt: unknown) => ({
  created: 1,
  data: Array.from({ length: n }, () => ({ b64_json: image })),
  ...(prompt === "tokens" && {
    usage: {
      input_tokens: 310,
      output_tokens: 4_000 * n,
      total_tokens: 310 + 4_000 * n,
      input_tokens_details: { text_tokens: 10, image_tokens: 300 }
    }
  })
})
export const secret = "edits-secret-0123456789-0123456789"
export const poor = "edits-poor-secret-0123456789-0123456789"
export const narrow = "edits-narrow-secret-0123456789-0123456789"
export const path = "/v1/images/edits"
export const png = (text = "picture") => toFile(Buffer.from(text), `${text}.png`, { type: "image/png" })
interface Asked {
  readonly key?: string
  readonly to?: string
  readonly headers?: Readonly<Record<string, string>>
}
export const form = (fields: Readonly<Record<string, string | File | ReadonlyArray<File>>>) => {
  const made = new FormData()
  const all = { image: new File(["picture"], "a.png", { type: "image/png" }), prompt: "A", ...fields }
  for (const [name, value] of Object.entries(all)) {
    for (const one of typeof value === "string" || value instanceof File ? [value] : value) made.append(name, one)
  }
  return made
}
/** A gateway before upstreams that edit images, for the file's tests. */
export const editing = () => {
  const asked: Array<{ readonly path: string; readonly fields: Record<string, unknown>; readonly type: string }> = []

  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const type = (request.headers.get("content-type") ?? "").replace(/;.*/, "")
      const fields: Record<string, unknown> = {}
      if (type === "application/json") Object.assign(fields, await request.json())
      else {
        const form = await request.formData()
        for (const name of new Set(form.keys())) {
          const all = await Promise.all(
            form.getAll(name).map(async (one) => (typeof one === "string" ? one : `${one.name}: ${await one.text()}`))
          )
          fields[name] = all.length === 1 ? all[0] : all
        }
      }
      asked.push({ path: new URL(request.url).pathname, fields, type })
      if (fields["prompt"] === "forbidden") {
        return Response.json({ error: { message: "No.", code: "moderation_blocked" } }, { status: 400 })
      }
      return Response.json(answer(Number(fields["n"] ?? 1), fields["prompt"]))
    }
  })
  const broken = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      await request.arrayBuffer()
      return new Response("no", { status: 503 })
    }
  })

  let gateway: GatewayHere
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "gateway-edits-"))
    const at = (port: number | undefined) => `http://127.0.0.1:${port}/v1`
    const routes = (...names: ReadonlyArray<string>) => names.map((name) => ({ upstream: name, model: "theirs" }))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        upstreams: {
          chat: { protocol: "openai-chat", base_url: at(upstream.port) },
          responses: { protocol: "openai-responses", base_url: at(upstream.port) },
          azure: {
            protocol: "openai-chat",
            base_url: `http://127.0.0.1:${upstream.port}/openai`,
            provider: "azure",
            api_key: "k"
          },
          messages: { protocol: "anthropic-messages", base_url: at(upstream.port) },
          down: { protocol: "openai-chat", base_url: at(broken.port) }
        },
        models: {
          "by-image": { kind: "image", routes: routes("down", "chat"), price: { per_image: 0.04 } },
          "dall-e-2": { kind: "image", routes: routes("chat"), price: { per_image: 0.02 } },
          "gpt-image-9": { routes: routes("responses"), price: { input: 5, image: { input: 8, output: 30 } } },
          "by-kind": {
            kind: "image",
            routes: routes("chat"),
            price: { per_image: { "high/1024x1024": 0.167, "low/*": 0.011, "*": 0.04 } }
          },
          "azure-image": { kind: "image", routes: routes("azure"), price: { per_image: 0.04 } },
          "image-nowhere": { kind: "image", routes: routes("messages"), price: { per_image: 1 } }
        },
        keys: [
          { name: "rich", secret, balance_usd: 100 },
          { name: "poor", secret: poor, balance_usd: 0.07 },
          { name: "narrow", secret: narrow, balance_usd: 1, models: ["gpt-image-9"] }
        ]
      })
    )
    gateway = await startGateway({ folder })
  })
  afterAll(async () => {
    await gateway.dispose()
    await upstream.stop(true)
    await broken.stop(true)
  })

  const client = (apiKey = secret) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })

  const send = async (body: FormData | object, { key = secret, to = path, headers = {} }: Asked = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(gateway.url + to, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...headers,
        ...(!isForm && { "content-type": "application/json" })
      },
      body: isForm ? body : JSON.stringify(body)
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith("{") ? JSON.parse(text) : {}
    }
  }
  const rowOf = async (headers: Headers) => {
    const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
    for (;;) {
      const row = database
        .query<{ cost: number; images: number }, [string]>(
          "SELECT cost_nano_usd AS cost, images FROM usage WHERE request_id = ?"
        )
        .get(headers.get("x-request-id") ?? "")
      if (row !== null) return row
      await Bun.sleep(10)
    }
  }

  return { asked, client, rowOf, send, url: () => gateway.url }
}
