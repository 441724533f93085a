import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startProvider } from "./startProvider.ts"
import { Visitor } from "./visitor.ts"

const operatorKey = "operator-key-0123456789abcdef"
const roles = `    - { group: member-*, role: member, accounts: ["{group}"] }
`
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

describeOnEach("a member's own key", (engine) => {
  let gateway: GatewayHere
  let provider: Awaited<ReturnType<typeof startProvider>>
  const cyd = new Visitor()
  let csrf = ""

  beforeAll(async () => {
    provider = await startProvider({ roles })
    const env = { ...(await gatewayEnv(`own-${engine.name}`)), ...provider.env, GATEWAY_ADMIN_KEY: operatorKey }
    gateway = await startGateway({ folder: provider.folder, env })
    await operate("POST", "/admin/v1/accounts", { id: "member-a" })
    await fetch(`${provider.issuer}/-/group?name=cyd&group=member-a`)
    await cyd.signIn(gateway.url, "cyd")
    csrf = (await cyd.session(gateway.url)).csrf
  })
  afterAll(async () => {
    await gateway.dispose()
    await provider.stop()
  })

  const operate = async (method: string, path: string, body: object) => {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  const asCyd = async (method: string, path: string, body: object) => {
    const headers = { "x-gateway-csrf": csrf, "content-type": "application/json" }
    const answer = await cyd.send(gateway.url + path, { method, headers, body: JSON.stringify(body) })
    return { status: answer.status, body: await answer.json() }
  }

  it("is renamed and ends earlier by its person, and keeps what a manager has set", async () => {
    const made = await asCyd("POST", "/admin/v1/keys", { account: "member-a", name: "of cyd" })
    const path = `/admin/v1/keys/${made.body.key.id}`
    const bounds = {
      models: ["sandbox-*"],
      not_models: ["sandbox-video"],
      budgets: [{ usd: 5, per: "day" }],
      limits: { requests_per_minute: 600 },
      expires_at: day(20)
    }
    const bounded = await operate("PATCH", path, bounds)
    for (const looser of [
      { models: null },
      { models: ["*"] },
      { not_models: [] },
      { budgets: null },
      { budget: { usd: 500, period: "day" } },
      { limits: null },
      { limits: { requests_per_minute: null } },
      { upstreams: null },
      { choose_route: true },
      { unpriced: "allow" },
      { expires_at: null },
      { expires_at: day(21) }
    ]) {
      const { body, status } = await asCyd("PATCH", path, looser)
      expect([looser, status, body.error?.param]).toEqual([looser, 400, Object.keys(looser)[0]])
    }
    expect((await asCyd("POST", `${path}/reset-budgets`, {})).status).toBe(403)
    const expires_at = day(10)
    const changed = await asCyd("PATCH", path, { name: "renamed by cyd", expires_at })
    expect(changed.status).toBe(200)
    const { version: _, ...same } = bounded
    expect(changed.body).toMatchObject({ ...same, name: "renamed by cyd", expires_at })
  })
})
