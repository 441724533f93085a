import { afterAll, beforeAll, expect, it } from "vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

describeOnEach("a task's money and times", () => {
  let gateway: GatewayHere
  let payer: string

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-costs-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      "models: { filmed: { routes: [{ upstream: sandbox, model: sandbox-video }], price: { per_second: 0.01 } } }\n"
    )
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("costs")) } })
    await post("/admin/v1/accounts", adminKey, { id: "paying", balance_usd: "1" })
    payer = (await post("/admin/v1/keys", adminKey, { name: "payer", account: "paying" })).secret
  })
  afterAll(() => gateway.dispose())

  const post = async (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) })
    return answer.json()
  }
  const create = async (model: string, text: string): Promise<string> => {
    const body = { model, resolution: "480p", duration: 4, content: [{ type: "text", text }] }
    return (await post("/api/v3/contents/generations/tasks", payer, body)).id
  }
  const read = async (path: string, key: string) => {
    const answer = await request(gateway, path, { key })
    return answer.json()
  }
  const task = (id: string) => read(`/admin/v1/tasks/${id}`, adminKey)
  const ended = (id: string) =>
    expect.poll(async () => (await task(id)).state, { timeout: 120_000 }).toMatch(/succeeded|failed/)

  it("are held while it waits, and settled when it has succeeded", async () => {
    const waiting = await create("filmed", "[[sandbox: queue=1h]] A boat")
    await expect.poll(async () => (await task(waiting)).submitted_at).not.toBeNull()
    expect(await task(waiting)).toMatchObject({ held_usd: 0.04, cost_usd: 0, ended_at: null })

    const made = await create("filmed", "A boat")
    await ended(made)
    const over = await task(made)
    expect(over).toMatchObject({ state: "succeeded", held_usd: 0, cost_usd: 0.04 })
    expect(over.submitted_at >= over.created_at).toBe(true)
    expect(over.ended_at >= over.submitted_at).toBe(true)
    if (over.started_at !== null) expect(over.started_at >= over.submitted_at).toBe(true)
    const own = (await read("/v1/tasks?limit=10", payer)).data
    expect(own.map(({ cost_usd, held_usd, id }: Record<string, unknown>) => [id, held_usd, cost_usd])).toEqual([
      [made, 0, 0.04],
      [waiting, 0.04, 0]
    ])
    expect(await read("/v1/balance", payer)).toMatchObject({
      settled: { nano_usd: 40_000_000 },
      held: { nano_usd: 40_000_000 }
    })
  })

  it("cost nothing where it failed or is free", async () => {
    const [failed, free] = [
      await create("filmed", "[[sandbox: fail=OutputVideoSensitiveContentDetected]] A boat"),
      await create("sandbox-video", "A boat")
    ]
    for (const id of [failed, free]) {
      await ended(id)
      expect(await task(id)).toMatchObject({ held_usd: 0, cost_usd: 0 })
    }
  })
})
