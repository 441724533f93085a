import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { startGateway } from "./process.ts"
import { path, until } from "./videoTask.ts"

const picture = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

/** A proxy that answers for every host itself, and remembers who asked for it. */
const asked: Array<string> = []
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const host = new URL(request.url).host
    asked.push(host)
    if (host === "pictures.invalid") return new Response(picture, { headers: { "content-type": "image/png" } })
    if (host === "bucket.invalid") return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 })
    return Response.json({ data: [{ id: "house-model" }] })
  }
})
afterAll(() => proxy.stop(true))

const start = (callbacks: string) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-proxies-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `proxy: http://user:planted@127.0.0.1:${proxy.port}
upstreams:
  house: { protocol: openai-chat, base_url: "http://models.invalid/v1", list_models: true }
  counter: { protocol: anthropic-messages, base_url: "http://counter.invalid" }
models: { counted: counter }
search: { provider: searxng, base_url: "http://search.invalid" }
${callbacks}
files: { at: "s3://files/here", endpoint: "http://bucket.invalid", access_key_id: id, secret_access_key: planted-key }
`
  )
  return startGateway({ folder, env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://otlp.invalid" } })
}

it("calls everything by the proxy, callers' addresses only where the file says so, and logs which", async () => {
  const by = `by the proxy http://127.0.0.1:${proxy.port}`
  for (const [callbacks, isProxied] of [
    ["callbacks: { proxy: true }", true],
    ["", false]
  ] as const) {
    asked.length = 0
    const gateway = await start(callbacks)
    const post = (where: string, body: object) =>
      fetch(gateway.url + where, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    try {
      const image = { type: "image", source: { type: "url", url: "http://pictures.invalid/cat.png" } }
      const messages = [{ role: "user", content: [image] }]
      const looked = await post("/v1/messages", { model: "sandbox-text", max_tokens: 100, messages })
      expect(await looked.text()).toContain(isProxied ? "a PNG image of 1×1 pixels" : "the host name does not resolve")
      await post("/v1/messages/count_tokens", { model: "counted", messages: [{ role: "user", content: "hi" }] })
      await post(path, {
        model: "sandbox-video",
        content: [{ type: "text", text: "[[sandbox: fail]]" }],
        callback_url: "http://receiver.invalid/hook"
      })
      const wanted = ["models.invalid", "counter.invalid", "bucket.invalid", "otlp.invalid"]
      if (isProxied) wanted.push("pictures.invalid", "receiver.invalid")
      await until(
        () => asked,
        (hosts) => wanted.every((host) => hosts.includes(host))
      )
      if (!isProxied) expect(asked).not.toContain("pictures.invalid")
      const log = gateway.output()
      expect(log).toContain(`upstream house: openai-chat at http://models.invalid/v1, no key, ${by}`)
      expect(log).toContain(`search goes ${by}`)
      expect(log).toContain(`the bucket goes ${by}`)
      expect(log).toContain(`traces go to otlp.invalid ${by}`)
      expect(log.includes(`callbacks and addresses that callers name go ${by}`)).toBe(isProxied)
      expect(log).not.toContain("planted")
    } finally {
      await gateway.dispose()
    }
  }
})
