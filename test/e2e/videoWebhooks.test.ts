import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { json, path as arkPath, until } from "./videoTask.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const posts: Array<{ readonly body: string; readonly headers: Record<string, string> }> = []
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (post) => {
    posts.push({ body: await post.text(), headers: Object.fromEntries(post.headers) })
    return new Response(null, { status: 204 })
  }
})
const webhook_url = `http://127.0.0.1:${receiver.port}/events`

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-video-webhooks-"))
  writeFileSync(join(folder, "gateway.yaml"), "callbacks: { allow: [127.0.0.0/8] }\n")
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await receiver.stop(true)
})

const admin = (path: string, method: string, body?: object) =>
  request(gateway, `/admin/v1/accounts${path}`, { method, key: adminKey, body })

describe("the webhook of an account", () => {
  it("gets video.completed and video.failed of either path, which OpenAI's client verifies", async () => {
    await json(admin("", "POST", { id: "team", webhook_url }))
    const [webhookSecret] = (await json(admin("/team/webhook-secrets", "GET"))).secrets
    const key = await json(
      request(gateway, "/admin/v1/keys", { method: "POST", key: adminKey, body: { account: "team", name: "films" } })
    )
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, webhookSecret, maxRetries: 0 })
    const model = "sandbox-video"
    const made = await client.videos.create({ model, prompt: "a cat", seconds: "4", size: "864x496" as never })
    const content = [{ type: "text", text: "[[sandbox: fail=TooRude]]" }]
    const failed = await json(request(gateway, arkPath, { method: "POST", key: key.secret, body: { model, content } }))
    const waiting = await client.videos.create({ model, prompt: "[[sandbox: queue=1h]]" })
    await client.videos.delete(waiting.id)
    await until(
      () => posts,
      () => posts.length === 3
    )
    const events = await Promise.all(posts.map(({ body, headers }) => client.webhooks.unwrap(body, headers)))
    const told = new Map(events.map((event) => ["id" in event.data ? event.data.id : "", event]))
    const event = (type: string, id: string) => ({
      id: expect.stringMatching(/^evt_/),
      object: "event",
      created_at: expect.any(Number),
      type,
      data: { id }
    })
    expect(told.get(made.id)).toEqual(event("video.completed", made.id))
    expect(told.get(failed.id)).toEqual(event("video.failed", failed.id))
    expect(told.get(waiting.id)).toEqual(event("video.failed", waiting.id))
    expect(await client.videos.retrieve(made.id)).toMatchObject({ status: "completed" })
    const [first] = posts
    await expect(client.webhooks.unwrap(`${first?.body} `, first?.headers ?? {})).rejects.toThrow()
    const { items } = await json(request(gateway, `${arkPath}/${made.id}/deliveries`, { key: key.secret }))
    expect(items).toMatchObject([{ event: "video.completed", status: "succeeded", state: "delivered" }])
  })

  it("is shown, changed and removed, and must be a public address", async () => {
    expect(await json(admin("/team", "GET"))).toMatchObject({ webhook_url })
    const change = async (url: string | null) => {
      const answer = await admin("/team", "PATCH", { webhook_url: url })
      const body = await json(answer)
      return [answer.status, body.webhook_url ?? body.error?.message ?? null]
    }
    expect(await change("http://10.0.0.1/")).toEqual([400, expect.stringMatching(/^webhook_url: expected a public/)])
    expect(await change("ftp://example.com/")).toEqual([400, expect.stringMatching(/^webhook_url: /)])
    expect(await change("https://user:word@example.com/")).toEqual([400, expect.stringMatching(/^webhook_url: /)])
    expect(await change(`${webhook_url}/2`)).toEqual([200, `${webhook_url}/2`])
    expect(await change(null)).toEqual([200, null])
  })
})
