import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import { startWorld } from "./world.ts"

describeOnEach("programs of people", (engine) => {
  let world: Awaited<ReturnType<typeof startWorld>>

  beforeAll(async () => {
    world = await startWorld(engine, "refusals")
  })
  afterAll(() => world.stop())

  it("get refusals that they act on, and are told how much of a budget is used", async () => {
    const { access_token: token } = await world.letIn("ann")
    const key = await world.keyOf("ann")
    expect((await world.messages(token, "priced")).headers.get("anthropic-ratelimit-unified-status")).toBeNull()
    await world.changeKey(key, { models: ["sandbox-*"] })
    const denied = await world.messages(token, "priced")
    expect([denied.status, (await denied.json()).error]).toEqual([
      400,
      { type: "invalid_request_error", message: 'model: this sign-in has no access to the model "priced"' }
    ])
    await world.changeKey(key, { models: null, budgets: [{ usd: 0.05, per: "month" }] })
    const told = await world.messages(token, "priced")
    expect(told.status).toBe(200)
    expect(told.headers.get("anthropic-ratelimit-unified-representative-claim")).toBe("overage")
    const usage = await (
      await fetch(`${world.gateway.url}/api/oauth/usage`, { headers: { authorization: `Bearer ${token}` } })
    ).json()
    expect(usage).toMatchObject({ extra_usage: { monthly_limit: 5, currency: "USD" }, limits: [{ group: "monthly" }] })
    await world.changeKey(key, { budgets: [{ usd: 0.000_001, per: "month" }] })
    const over = await world.messages(token, "priced")
    const next = new Date()
    const reset = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1) / 1_000
    // Who signed in has no API key.
    expect([over.status, (await over.json()).error]).toEqual([
      429,
      { type: "billing_error", message: expect.stringMatching(/^The monthly budget of this sign-in \(\$\S+\) /) }
    ])
    expect(Object.fromEntries(over.headers)).toMatchObject({
      "x-should-retry": "false",
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(reset),
      "anthropic-ratelimit-unified-overage-period": "monthly"
    })
    expect(over.headers.has("anthropic-ratelimit-unified-representative-claim")).toBe(false)
    await world.changeKey(key, { budgets: [] })
  })

  it("are asked for settings and telemetry alone by a token", async () => {
    const { access_token: token } = await world.letIn("ann")
    const by = (path: string, init: RequestInit = {}, headers: Readonly<Record<string, string>> = {}) =>
      fetch(world.gateway.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } })
    const settings = await by("/managed/settings")
    const { checksum, settings: pushed } = await settings.json()
    // By name, as the client sorts them.
    const env = {
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "sandbox-text",
      ANTHROPIC_DEFAULT_OPUS_MODEL: "sandbox-text",
      ANTHROPIC_DEFAULT_SONNET_MODEL: "sandbox-text"
    }
    expect(pushed).toEqual({ env, permissions: { deny: ["WebFetch"] } })
    const text = JSON.stringify({ env, permissions: { deny: ["WebFetch"] } })
    expect(checksum).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`)
    expect(settings.headers.get("etag")).toBe(`"${checksum}"`)
    expect((await by("/managed/settings", {}, { "if-none-match": `"${checksum}"` })).status).toBe(304)
    for (const path of ["/v1/metrics", "/v1/logs", "/v1/traces"]) {
      expect((await by(path, { method: "POST", body: "{}" })).status).toBe(200)
      expect((await fetch(world.gateway.url + path, { method: "POST", body: "{}" })).status).toBe(401)
    }
    expect((await fetch(`${world.gateway.url}/managed/settings`)).status).toBe(401)
    expect((await by("/admin/v1/keys")).status).toBe(401)
  })
})
