import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { Attention } from "../../src/admin/OverviewRecord.ts"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const config = `callbacks: { allow: [127.0.0.0/8] }
models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`
const receiver = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 410 }) })
afterAll(() => receiver.stop(true))

describeOnEach("what needs attention", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-attention-"))
  let gateway: GatewayHere
  let env: Record<string, string> = {}
  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), config)
    const secret = { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
    env = { ...(await gatewayEnv(`attention-${name}`)), ...secret }
    gateway = await startGateway({ folder, env })
  })
  afterAll(() => gateway.dispose())

  const admin = async (path: string, body?: object) =>
    (await request(gateway, `/admin/v1${path}`, { key: adminKey, ...(body === undefined ? {} : { body }) })).json()
  const attention = async (): Promise<ReadonlyArray<Attention>> => (await admin("/attention")).data
  const about = async (what: Attention["what"]) => (await attention()).filter((one) => one.what === what)
  const ok = async (...args: ReadonlyArray<string>) => {
    const { code, err, json, out } = await runCommand(folder, [...args, "--url", gateway.url], env)
    expect([code, err]).toEqual([0, ""])
    return { json, out }
  }

  it("is nothing at first", async () => {
    expect(await attention()).toEqual([])
    expect((await ok("attention")).out).toBe("Nothing needs attention.\n")
  })

  it("is a budget near its end: how much is used, when it ends at that pace, and when it begins again", async () => {
    const budgets = [
      { requests: 5, per: "total" },
      { usd: 0.2, per: "month" }
    ]
    const { key, secret } = await admin("/keys", { account: "default", name: "near", budgets })
    const body = { model: "priced", max_tokens: 5, messages: "Hello!" }
    for (let n = 0; n < 4; n++) expect((await request(gateway, "/v1/messages", { body, key: secret })).status).toBe(200)
    await expect.poll(() => about("key")).toHaveLength(1)
    const [near] = await about("key")
    expect(near).toMatchObject({
      level: "warning",
      id: key.id,
      message: "key near of default has used 80 % of its budget of 5 requests, which never begins again",
      action: expect.stringContaining(`gateway keys update ${key.id} --budgets`),
      due_at: null,
      page: `keys/${key.id}`
    })
    const record: KeyRecord = await admin(`/keys/${key.id}`)
    const listed = (await ok("budgets", "--json")).json<ReadonlyArray<{ key: string; used_ratio: number }>>()
    expect(listed.map(({ key, used_ratio }) => [key, used_ratio])).toEqual(
      record.budgets.map(({ used_ratio }) => [key.id, used_ratio]).toSorted(([, a], [, b]) => Number(b) - Number(a))
    )
    expect((await ok("budgets", "--from", "80")).out).toContain("4 of 5 requests in total")
  })

  it("is a receiver that takes no callbacks; the tasks and their requests name each other", async () => {
    const callback_url = `http://127.0.0.1:${receiver.port}/hook`
    const content = [{ type: "text", text: "A paper boat" }]
    const path = "/api/v3/contents/generations/tasks"
    const answer = await request(gateway, path, {
      body: { model: "sandbox-video", resolution: "480p", frames: 29, content, callback_url }
    })
    const { id }: { id: string } = await answer.json()
    const task = async (): Promise<TaskSummary> => admin(`/tasks/${id}`)
    await expect.poll(async () => (await task()).state, { timeout: 60_000 }).toBe("succeeded")
    expect(await task()).toMatchObject({ callback_state: "given_up", callback_stuck: true, callback_next_at: null })
    const requestId = answer.headers.get("x-request-id")
    expect((await task()).request_id).toBe(requestId)
    await expect.poll(async () => (await admin(`/requests/${requestId}`)).task).toBe(id)
    const own = await (await request(gateway, "/v1/tasks?callback=stuck", {})).json()
    expect(own.data).toMatchObject([{ id, request_id: requestId, callback_stuck: true }])
    const receivers = await about("delivery")
    expect(receivers).toMatchObject([
      {
        id: null,
        message: expect.stringMatching(/^127\.0\.0\.1:\d+: [23] callbacks failed for good$/),
        page: "tasks?callback=stuck"
      }
    ])
    expect(Date.parse(receivers[0]?.since ?? "")).toBeGreaterThan(Date.now() - 60_000)
    const stuck = (await ok("deliveries", "list", "--state", "stuck", "--json")).json<ReadonlyArray<{ task: string }>>()
    expect(new Set(stuck.map(({ task }) => task))).toEqual(new Set([id]))
    expect((await ok("tasks", "list", "--callback", "stuck")).out).toContain(id)
  })

  it("is limits that each of several processes counts on its own", async () => {
    await admin("/keys", { account: "default", name: "limited", limits: { requests_per_minute: 60 } })
    expect(await about("limits")).toEqual([])
    if (name !== "postgres") return
    const second = mkdtempSync(join(tmpdir(), "gateway-attention-"))
    writeFileSync(join(second, "gateway.yaml"), config)
    const other = await startGateway({ folder: second, env })
    try {
      expect(await about("limits")).toMatchObject([
        {
          message: "each of 2 processes counts limits on its own, so up to 2 times as much may pass",
          action: "Let a Redis count for all of them: set `redis.url`."
        }
      ])
    } finally {
      await other.dispose()
      rmSync(second, { recursive: true, force: true })
    }
    await expect.poll(() => about("limits")).toEqual([])
  })

  it("is told by a command, the worst first, in lines of 80 columns", async () => {
    const { out } = await ok("attention")
    expect(out).toMatch(/^warning  127\.0\.0\.1:\d+: /m)
    expect(out.replaceAll(/\s+/g, " ")).toContain("`gateway deliveries list --state stuck`")
    for (const line of out.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80)
    expect((await ok("attention", "--json")).json<ReadonlyArray<Attention>>().map(({ what }) => what)).toEqual(
      (await attention()).map(({ what }) => what)
    )
  })
})
