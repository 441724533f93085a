import { mkdtempSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const other = "other-key-0123456789abcdefgh"
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bodies-"))
  writeFileSync(join(folder, "gateway.yaml"), `keys: [{ name: other, secret: ${other} }]`)
  gateway = await startGateway({ folder })
})
afterAll(() => gateway.dispose())

/** A request whose body of 30 MiB never comes. */
const unfinished = () => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const declared = 30 * 1024 * 1024
  const head = ["POST /v1/messages HTTP/1.1", "host: x", `x-api-key: ${gateway.key}`, `content-length: ${declared}`]
  socket.write([...head, "", "{"].join("\r\n"))
  return { socket, answer: new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes)))) }
}

const families = {
  "/v1/chat/completions": { messages: [{ role: "user", content: "hi" }] },
  "/v1/messages": { messages: [{ role: "user", content: "hi" }], max_tokens: 9 },
  "/v1/responses": { input: "hi" },
  "/v1/embeddings": { input: "hi" },
  "/api/v3/contents/generations/tasks": { content: [{ type: "text", text: "hi" }] }
}

/** A request whose body of 16 MiB is longer than what is left for its key. */
const post = (path: keyof typeof families, key: string) =>
  request(gateway, path, {
    body: { model: "sandbox-text", ...families[path], metadata: { long: "x".repeat(16 * 1024 * 1024) } },
    key
  })

describe("a key whose bodies are being read", () => {
  it("may not have more of them than 128 MiB at a time, and others may", async () => {
    const sending = Array.from({ length: 5 }, unfinished)
    // Four have room: 120 MiB.
    expect(await Promise.race(sending.map(({ answer }) => answer))).toContain("429 Too Many Requests")
    const path = "/v1/messages"
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/embeddings"] as const) {
      const response = await post(path, gateway.key)
      expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 429, "1"])
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("128 MiB") } })
    }
    const video = await post("/api/v3/contents/generations/tasks", gateway.key)
    expect([video.status, await video.text()]).toEqual([429, expect.stringContaining("128 MiB")])
    expect((await post(path, other)).status).not.toBe(429)
    for (const { socket } of sending) socket.destroy()
    await expect.poll(async () => (await post(path, gateway.key)).status).not.toBe(429)
  })
})
