import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefgh"
const [open, narrow] = ["open-key-0123456789abcdefghi", "narrow-key-0123456789abcdefg"]
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-edges-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `keys:
  - { name: open, secret: ${open}, account: team }
  - { name: narrow, secret: ${narrow}, account: team, models: ["other-*"] }
`
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(() => gateway.dispose())

const post = (path: string, body: object, key: string, headers: Record<string, string> = {}) =>
  request(gateway, path, { body, key, headers })

const user = [{ role: "user", content: "Hello!" }]

describe("an Idempotency-Key", () => {
  it.each([
    ["/v1/chat/completions", { model: "sandbox-text", messages: user }],
    ["/v1/chat/completions", { model: "sandbox-text", messages: user, stream: true }],
    ["/v1/messages", { model: "sandbox-text", messages: user, max_tokens: 9 }],
    ["/api/v3/contents/generations/tasks", { model: "sandbox-video", content: [{ type: "text", text: "a cat" }] }]
  ])("gives no answer to a key that may not use the model: %s %o", async (path, body) => {
    const headers = { "idempotency-key": JSON.stringify(body).slice(0, 80) }
    const first = await post(path, body, open, headers)
    expect(first.status).toBe(200)
    await first.text()
    const refused = await post(path, body, narrow, headers)
    expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([403, null])
    expect(await refused.text()).toContain("no access")
    const replayed = await post(path, body, open, headers)
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([200, "true"])
  })
})

describe("numbers beyond what they may be", () => {
  it("are refused by the sandbox's embeddings", async () => {
    const ask = (dimensions: number) =>
      post("/v1/embeddings", { model: "sandbox-embed", input: "hi", dimensions }, open)
    const refused = await ask(1_000_000_000)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { param: "dimensions", message: expect.stringContaining("at most 3072") }
    })
    expect((await ask(3_073)).status).toBe(400)
    expect((await ask(3_072)).status).toBe(200)
  })

  it.each([
    "/v1/responses/resp_x?stream=true&starting_after=",
    "/v1/responses/resp_x/input_items?limit=",
    "/v1/requests?limit=",
    "/v1/usage?limit=",
    "/v1/requests/histogram?buckets=",
    "/v1/overview?from=1h&step=",
    "/api/v3/contents/generations/tasks?page_num=",
    "/admin/v1/logs?limit="
  ])("are refused in a query where they are not digits: %s", async (path) => {
    const headers = { authorization: `Bearer ${path.startsWith("/admin") ? adminKey : open}` }
    for (const value of ["1e1", "0x1", "%201", "1.0", "+1", ""]) {
      const response = await fetch(gateway.url + path + value, { headers })
      expect([value, response.status]).toEqual([value, 400])
    }
    expect((await fetch(`${gateway.url}${path}60`, { headers })).status).not.toBe(400)
  })
})
