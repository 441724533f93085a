import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { startProvider } from "../people/startProvider.ts"
import { Visitor } from "../people/visitor.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"

const minute = 60_000
const hour = 60 * minute

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
}

describeOnEach("programs that sign in for people", (engine) => {
  let gateway: GatewayProcess
  let provider: Awaited<ReturnType<typeof startProvider>>
  let database = ""

  beforeAll(async () => {
    provider = await startProvider()
    appendFileSync(
      join(provider.folder, "gateway.yaml"),
      `  managed_settings: { permissions: { deny: ["WebFetch"] } }
models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`
    )
    const env = { ...(await gatewayEnv("programs")), ...provider.env }
    database = env["GATEWAY_DATABASE_URL"] ?? join(provider.folder, "data/gateway.db")
    gateway = await startGateway({ folder: provider.folder, env })
  })
  afterAll(async () => {
    await gateway.dispose()
    await provider.stop()
  })

  const run = async (...statements: ReadonlyArray<string>): Promise<ReadonlyArray<Record<string, unknown>>> => {
    if (engine.name === "sqlite") {
      const file = new SqliteFile(database)
      file.run("PRAGMA busy_timeout = 5000")
      const found = statements.map((one) => file.query<Record<string, unknown>, []>(one).all())
      file.close()
      return found.at(-1) ?? []
    }
    const sql = new Bun.SQL({ url: database, max: 1 })
    let found: ReadonlyArray<Record<string, unknown>> = []
    for (const one of statements) found = await sql.unsafe(one)
    await sql.close()
    return found
  }

  let asked = 0
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    // Each from an address of its own: ten programs a minute may begin from one.
    const from = `10.9.${(asked >> 8) & 255}.${asked++ & 255}`
    const answer = await fetch(gateway.url + path, {
      method: "POST",
      headers: { "x-forwarded-for": from, "user-agent": "claude-code/2.1.332" },
      body: new URLSearchParams(form)
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) }
  }

  const begin = async (form: Readonly<Record<string, string>> = { surface: "claude_code" }) =>
    (await post("/oauth/device_authorization", form)).body
  const poll = (device_code: string) => post("/oauth/token", { grant_type: deviceGrant, device_code })
  const refresh = (refresh_token: string) => post("/oauth/token", { grant_type: "refresh_token", refresh_token })

  const signedIn = async (name: string) => {
    const visitor = new Visitor()
    await visitor.signIn(gateway.url, name)
    return visitor
  }
  const decide = async (visitor: Visitor, code: string, decision: object) => {
    const answer = await visitor.send(`${gateway.url}/console/devices/${code}`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(gateway.url)).csrf },
      body: JSON.stringify(decision)
    })
    return { status: answer.status, body: await answer.json() }
  }
  /** A program that a person has let in. */
  const letIn = async (name: string, account = "default"): Promise<Tokens> => {
    const begun = await begin()
    expect(await decide(await signedIn(name), begun.user_code, { approve: true, account })).toMatchObject({
      status: 200
    })
    return (await poll(begun.device_code)).body
  }
  const messages = (token: string, model = "sandbox-text") =>
    fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] })
    })
  const status = async (token: string) => (await messages(token)).status
  const keyOf = async (name: string) =>
    String(
      (
        await run(`SELECT k.id FROM keys k JOIN people p ON p.id = k.person_id
        WHERE p.subject = '${name}' AND k.revoked_at IS NULL ORDER BY k.created_at DESC`)
      )[0]?.["id"]
    )
  const changeKey = async (id: string, body: object) => {
    const ann = await signedIn("ann")
    const answer = await ann.send(`${gateway.url}/admin/v1/keys/${id}`, {
      method: "PATCH",
      headers: { "x-gateway-csrf": (await ann.session(gateway.url)).csrf },
      body: JSON.stringify(body)
    })
    expect(answer.status).toBe(200)
    // Changes reach every process within a second.
    await Bun.sleep(600)
  }

  it("are told where to go, with nothing but what they need", async () => {
    const metadata = await (await fetch(`${gateway.url}/.well-known/oauth-authorization-server`)).json()
    const url = gateway.url.replace(/\/$/, "")
    expect(metadata).toMatchObject({
      issuer: url,
      device_authorization_endpoint: `${url}/oauth/device_authorization`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      grant_types_supported: [deviceGrant, "refresh_token"]
    })
    const begun = await begin({ surface: "claude_code", unknown: "field" })
    expect(begun).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${url}/device`,
      verification_uri_complete: `${url}/device?user_code=${begun.user_code}`,
      expires_in: 600,
      interval: 5
    })
    const device = await fetch(begun.verification_uri_complete, { redirect: "manual" })
    expect([device.status, device.headers.get("location")]).toEqual([
      303,
      `/console/device?user_code=${begun.user_code}`
    ])
  })

  it("wait until their person lets them in, and work for that person's account", async () => {
    const begun = await begin()
    expect(await poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "authorization_pending" } })
    expect(await poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "slow_down" } })
    const ann = await signedIn("ann")
    const shown = await (await ann.send(`${gateway.url}/console/devices/${begun.user_code}`)).json()
    expect(shown).toMatchObject({ program: "claude_code", client: "claude-code/2.1.332", issues: "token" })
    expect((await decide(ann, begun.user_code, { approve: true, account: "default" })).status).toBe(200)
    const { body, headers, status: answered } = await poll(begun.device_code)
    expect([answered, headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gwt_\w{38}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^gwr_\w{38}$/),
      email: "ann@corp.test"
    })
    expect(await poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "expired_token" } })
    expect(await status(body.access_token)).toBe(200)
    // A refresh token opens nothing.
    expect(await status(body.refresh_token)).toBe(401)
    const stored = await run("SELECT hash FROM person_tokens")
    expect(stored.length).toBeGreaterThan(1)
    expect(JSON.stringify(stored)).not.toContain(body.access_token)
    const audit = await (await ann.send(`${gateway.url}/admin/v1/audit?action=program`)).json()
    expect(audit.data[0]).toMatchObject({ actor: "ann@corp.test", action: "program.approve", target: "default" })
  })

  it("share one key of their person in an account, which has no secret to give away", async () => {
    const [one, other] = [await letIn("ann"), await letIn("ann")]
    expect([await status(one.access_token), await status(other.access_token)]).toEqual([200, 200])
    const keys = await run(
      `SELECT k.id, k.hash FROM keys k JOIN people p ON p.id = k.person_id WHERE p.subject = 'ann'`
    )
    expect(keys).toHaveLength(1)
    // The stored text is no secret's hash, and opens nothing itself.
    expect(await status(String(keys[0]?.["hash"]).replaceAll(" ", "-"))).toBe(401)
    const ann = await signedIn("ann")
    const rotated = await ann.send(`${gateway.url}/admin/v1/keys/${String(keys[0]?.["id"])}/rotate-secret`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await ann.session(gateway.url)).csrf }
    })
    expect(rotated.status).toBe(409)
  })

  it("are kept out by their person, by one who reaches no such account, and by a page of another site", async () => {
    const begun = await begin()
    const bob = await signedIn("bob")
    expect((await decide(bob, begun.user_code, { approve: true, account: "default" })).status).toBe(404)
    expect((await decide(bob, begun.user_code, { approve: true })).status).toBe(400)
    const forged = await bob.send(`${gateway.url}/console/devices/${begun.user_code}`, {
      method: "POST",
      body: JSON.stringify({ approve: true, account: "team-a" })
    })
    expect(forged.status).toBe(403)
    const foreign = await fetch(`${gateway.url}/console/devices/${begun.user_code}`)
    expect(foreign.status).toBe(401)
    expect((await decide(bob, begun.user_code, { approve: false })).body).toMatchObject({ approved: false })
    expect((await decide(bob, begun.user_code, { approve: false })).status).toBe(404)
    expect(await poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } })
    expect(await poll("nothing")).toMatchObject({ status: 400, body: { error: "expired_token" } })
  })

  it("are not found by guessing codes", async () => {
    const ann = await signedIn("ann")
    const tries = Array.from({ length: 12 }, () => ann.send(`${gateway.url}/console/devices/BCDF-GHJK`))
    const found = await Promise.all(tries)
    expect(found.map((answer) => answer.status).toSorted((one, other) => one - other)).toEqual([
      ...Array(10).fill(404),
      429,
      429
    ])
  })

  it("refresh; a token that is sent several times at once is answered each time, and later ends the sign-in", async () => {
    const first = await letIn("ann")
    const answers = await Promise.all([1, 2, 3].map(() => refresh(first.refresh_token)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    const [next] = answers.map(({ body }): Tokens => body)
    for (const { body } of answers) expect(await status(body.access_token)).toBe(200)
    expect(await status(first.access_token)).toBe(200)
    await run(`UPDATE person_tokens SET replaced_at = replaced_at - ${minute}`)
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    expect(await refresh(next?.refresh_token ?? "")).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    await Bun.sleep(600)
    expect(await status(next?.access_token ?? "")).toBe(401)
  })

  it("are told to sign in again where a token is revoked, expired or unknown, at once", async () => {
    const one = await letIn("ann")
    expect((await post("/oauth/revoke", { token: one.refresh_token, token_type_hint: "refresh_token" })).status).toBe(
      200
    )
    expect((await post("/oauth/revoke", { token: "unknown" })).status).toBe(200)
    await Bun.sleep(600)
    const answer = await messages(one.access_token)
    expect([answer.status, answer.headers.get("x-should-retry"), await answer.json()]).toEqual([
      401,
      "false",
      expect.objectContaining({
        error: { type: "authentication_error", message: "This sign-in at the gateway has ended: sign in again" }
      })
    ])
    expect((await refresh(one.refresh_token)).status).toBe(401)
    const other = await letIn("ann")
    await run(`UPDATE person_tokens SET expires_at = expires_at - ${hour} WHERE kind = 'access'`)
    expect(await status(other.access_token)).toBe(401)
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it("get refusals that they act on, and are told how much of a budget is used", async () => {
    const { access_token: token } = await letIn("ann")
    const key = await keyOf("ann")
    expect((await messages(token, "priced")).headers.get("anthropic-ratelimit-unified-status")).toBeNull()
    await changeKey(key, { models: ["sandbox-*"] })
    const denied = await messages(token, "priced")
    expect([denied.status, (await denied.json()).error.type]).toEqual([400, "invalid_request_error"])
    await changeKey(key, { models: null, budgets: [{ usd: 0.05, per: "month" }] })
    const told = await messages(token, "priced")
    expect(told.status).toBe(200)
    expect(told.headers.get("anthropic-ratelimit-unified-representative-claim")).toBe("overage")
    const usage = await (
      await fetch(`${gateway.url}/api/oauth/usage`, { headers: { authorization: `Bearer ${token}` } })
    ).json()
    expect(usage).toMatchObject({ extra_usage: { monthly_limit: 5, currency: "USD" }, limits: [{ group: "monthly" }] })
    await changeKey(key, { budgets: [{ usd: 0.000_001, per: "month" }] })
    const over = await messages(token, "priced")
    const next = new Date()
    const reset = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1) / 1_000
    expect([over.status, (await over.json()).error.type]).toEqual([429, "billing_error"])
    expect(Object.fromEntries(over.headers)).toMatchObject({
      "x-should-retry": "false",
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(reset),
      "anthropic-ratelimit-unified-overage-period": "monthly"
    })
    expect(over.headers.has("anthropic-ratelimit-unified-representative-claim")).toBe(false)
    await changeKey(key, { budgets: [] })
  })

  it("are asked for settings and telemetry alone by a token", async () => {
    const { access_token: token } = await letIn("ann")
    const by = (path: string, init: RequestInit = {}, headers: Readonly<Record<string, string>> = {}) =>
      fetch(gateway.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } })
    const settings = await by("/managed/settings")
    const { checksum, settings: pushed } = await settings.json()
    expect(pushed).toEqual({ permissions: { deny: ["WebFetch"] } })
    const text = '{"permissions":{"deny":["WebFetch"]}}'
    expect(checksum).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`)
    expect(settings.headers.get("etag")).toBe(`"${checksum}"`)
    expect((await by("/managed/settings", {}, { "if-none-match": `"${checksum}"` })).status).toBe(304)
    for (const path of ["/v1/metrics", "/v1/logs", "/v1/traces"]) {
      expect((await by(path, { method: "POST", body: "{}" })).status).toBe(200)
      expect((await fetch(gateway.url + path, { method: "POST", body: "{}" })).status).toBe(401)
    }
    expect((await fetch(`${gateway.url}/managed/settings`)).status).toBe(401)
    expect((await by("/admin/v1/keys")).status).toBe(401)
  })

  it("get a key of ninety days where they ask for one", async () => {
    const begun = await begin({ surface: "opencode", issues: "key" })
    const ann = await signedIn("ann")
    await decide(ann, begun.user_code, { approve: true, account: "default" })
    const { body } = await poll(begun.device_code)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gw_\w{38}$/),
      token_type: "Bearer",
      expires_in: 90 * 86_400,
      email: "ann@corp.test"
    })
    expect(await status(body.access_token)).toBe(200)
  })

  it("are out when their person is removed, and wait while the provider is away", async () => {
    const tell = (path: string) => fetch(`${provider.issuer}/-/${path}`)
    await tell("group?name=dan&group=platform")
    const dan = await letIn("dan")
    const later = (ms: number) =>
      run(
        `UPDATE people SET checked_at = checked_at - ${ms}`,
        `UPDATE provider_tokens SET tried_at = tried_at - ${ms}, failing_since = failing_since - ${ms}`,
        `UPDATE access_version SET version = version + 1`
      )
    expect(await status(dan.access_token)).toBe(200)
    await run("UPDATE provider_tokens SET failing_since = 1")
    const away = await refresh(dan.refresh_token)
    expect([away.status, away.body.error]).toEqual([503, "temporarily_unavailable"])
    await run("UPDATE provider_tokens SET failing_since = NULL")
    expect((await refresh(dan.refresh_token)).status).toBe(200)
    await tell("remove?name=dan")
    await later(5 * minute)
    expect((await refresh(dan.refresh_token)).status).toBe(401)
    await Bun.sleep(600)
    expect(await status(dan.access_token)).toBe(401)
  })
})
