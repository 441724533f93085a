import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../../commandHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../../sql/engines.ts"
import { Browser, startBehindProxy } from "../../console/browser.ts"
import { adminKey } from "./sessionKeys.ts"

describeOnEach("sessions of the console", () => {
  let env: Record<string, string>
  let gateway: GatewayHere
  beforeAll(async () => {
    env = { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("console sessions")) }
    gateway = await startBehindProxy(env)
  })
  afterAll(() => gateway.dispose())

  const signedIn = async (key = adminKey) => {
    const browser = new Browser(gateway.url)
    expect((await browser.signIn({ key })).status).toBe(200)
    return browser
  }
  const newKey = async (operator: Browser, name: string) => {
    const made = await operator.send("/admin/v1/keys", { body: { account: "default", name } })
    expect(made.status).toBe(200)
    return { id: String(made.json.key.id), secret: String(made.json.secret) }
  }
  const message = {
    model: "sandbox-text",
    max_tokens: 20,
    messages: [{ role: "user", content: "Hello!" }]
  }

  it("tells who is not signed in, and gives no cookie for it", async () => {
    const browser = new Browser(gateway.url)
    const { json, status } = await browser.send("/console/session")
    expect([status, json]).toEqual([200, { object: "own_session", signed_in: false, admin: true, sign_in: [] }])
    expect(browser.lastSetCookie).toBe("")
  })

  it("reads no more of a body than a key needs, since any client may send one", async () => {
    const refused = await new Browser(gateway.url).send("/console/session", { body: { key: "k".repeat(5_000) } })
    expect(refused.status).toBe(413)
  })

  it("opens the admin API to an operator, with a token for each change", async () => {
    const operator = await signedIn()
    expect(operator.lastSetCookie).toMatch(
      /^gateway_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/
    )
    const own = (await operator.send("/console/session")).json
    expect(own).toMatchObject({ signed_in: true, kind: "operator", csrf: operator.csrf })
    expect(operator.cookie).not.toContain(operator.csrf)
    expect((await operator.send("/admin/v1/keys")).status).toBe(200)
    const change = { method: "POST", body: { id: "forged" } }
    for (const csrf of ["", "wrong", "A".repeat(43)]) {
      const refused = await operator.send("/admin/v1/accounts", { ...change, headers: { "x-gateway-csrf": csrf } })
      expect([refused.status, refused.json.error.code]).toEqual([403, "permission_error"])
    }
    const other = await signedIn()
    expect(
      (await operator.send("/admin/v1/accounts", { ...change, headers: { "x-gateway-csrf": other.csrf } })).status
    ).toBe(403)
    expect((await operator.send("/admin/v1/accounts/forged")).status).toBe(404)
    const account = `made-${crypto.randomUUID()}`
    expect((await operator.send("/admin/v1/accounts", { body: { id: account } })).status).toBe(200)
    const audit = (await operator.send(`/admin/v1/audit?target=${account}`)).json.data
    expect(audit[0]).toMatchObject({ actor: "admin-key", via: expect.stringMatching(/^session_/) })
  })

  it("is asked by its own pages alone", async () => {
    const operator = await signedIn()
    const from = (headers: Record<string, string>) => operator.send("/admin/v1/keys", { headers })
    expect((await from({ "sec-fetch-site": "same-origin" })).status).toBe(200)
    expect((await from({ origin: gateway.url })).status).toBe(200)
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" }
    ]) {
      expect((await from(headers)).status, JSON.stringify(headers)).toBe(403)
      expect((await new Browser(gateway.url).signIn({ key: adminKey }, headers)).status).toBe(403)
    }
  })

  it("begins with a token of its own each time, and ends the one before", async () => {
    const chosen = `gateway_session=${"f".repeat(43)}`
    const victim = new Browser(gateway.url)
    victim.cookie = chosen
    await victim.signIn({ key: adminKey })
    expect(victim.cookie).not.toBe(chosen)
    const attacker = new Browser(gateway.url)
    attacker.cookie = chosen
    expect((await attacker.send("/admin/v1/keys")).status).toBe(401)
    // One that an attacker had really opened, and planted.
    const planted = await signedIn(gateway.key)
    const stolen = planted.cookie
    await planted.signIn({ key: adminKey })
    expect(planted.cookie).not.toBe(stolen)
    attacker.cookie = stolen
    expect((await attacker.send("/v1/balance")).status).toBe(401)
    expect((await attacker.send("/console/session")).json.signed_in).toBe(false)
    // Of two cookies, the browser's own can't be told.
    attacker.cookie = `${stolen}; ${planted.cookie}`
    expect((await attacker.send("/admin/v1/keys")).status).toBe(401)
  })

  it("ends when its user signs out", async () => {
    const operator = await signedIn()
    const { cookie } = operator
    expect(
      (await operator.send("/console/session", { method: "DELETE", headers: { "x-gateway-csrf": "" } })).status
    ).toBe(403)
    expect((await operator.send("/admin/v1/keys")).status).toBe(200)
    const out = await operator.send("/console/session", { method: "DELETE" })
    expect([out.status, out.json.signed_in]).toEqual([200, false])
    expect(operator.lastSetCookie).toMatch(/^gateway_session=; HttpOnly; SameSite=Strict; Path=\/; Max-Age=0$/)
    operator.cookie = cookie
    expect((await operator.send("/admin/v1/keys")).status).toBe(401)
  })

  it("opens with an API key what the key opens, as long as it does", async () => {
    const operator = await signedIn()
    const { id, secret } = await newKey(operator, "holder")
    const holder = await signedIn(secret)
    expect((await holder.send("/console/session")).json).toMatchObject({
      kind: "account",
      account_id: "default",
      key_id: id
    })
    expect((await holder.send("/v1/balance")).json).toMatchObject({ account: "default" })
    expect((await holder.send("/v1/messages", { body: message })).status).toBe(200)
    expect((await holder.send("/v1/messages", { body: message, headers: { "x-gateway-csrf": "" } })).status).toBe(403)
    expect((await holder.send("/admin/v1/keys")).status).toBe(403)
    const listed = async () =>
      (await operator.send("/admin/v1/sessions")).json.data.filter((one: { key: string }) => one.key === id).length
    expect(await listed()).toBe(1)
    const rotated = await operator.send(`/admin/v1/keys/${id}/rotate-secret`, { method: "POST" })
    expect((await holder.send("/v1/balance")).status).toBe(401)
    const again = await signedIn(String(rotated.json.secret))
    expect((await again.send("/v1/balance")).status).toBe(200)
    await operator.send(`/admin/v1/keys/${id}/revoke`, { method: "POST" })
    expect((await again.send("/v1/balance")).status).toBe(401)
    expect(await listed()).toBe(0)
  })

  it("is none while its account is suspended, and is one again afterwards", async () => {
    const operator = await signedIn()
    const id = `suspended-${crypto.randomUUID()}`
    await operator.send("/admin/v1/accounts", { body: { id } })
    const made = await operator.send("/admin/v1/keys", { body: { account: id, name: "holder" } })
    const holder = await signedIn(String(made.json.secret))
    const told = async () => (await holder.send("/console/session")).json
    expect((await told()).signed_in).toBe(true)
    await operator.send(`/admin/v1/accounts/${id}/suspend`, { method: "POST" })
    expect(await told()).toEqual({ object: "own_session", signed_in: false, admin: true, sign_in: [] })
    expect((await holder.send("/v1/balance")).status).toBe(401)
    expect((await new Browser(gateway.url).signIn({ key: String(made.json.secret) })).status).toBe(401)
    await operator.send(`/admin/v1/accounts/${id}/resume`, { method: "POST" })
    expect((await told()).signed_in).toBe(true)
    await operator.send(`/admin/v1/keys/${made.json.key.id}/revoke`, { method: "POST" })
    expect((await told()).signed_in).toBe(false)
  })

  it("lets an operator ask as a key that is named", async () => {
    const operator = await signedIn()
    const { id } = await newKey(operator, "playground")
    const as = (key: string) => operator.send("/v1/messages", { body: message, headers: { "x-gateway-key-id": key } })
    expect((await as(id)).status).toBe(200)
    expect((await as("key_unknown")).status).toBe(401)
    expect((await as("")).status).toBe(401)
    await operator.send(`/admin/v1/keys/${id}/revoke`, { method: "POST" })
    expect((await as(id)).status).toBe(401)
    // An account's session opens no other's key, whatever it names.
    const holder = await signedIn(gateway.key)
    const own = await newKey(operator, "another")
    const asked = await holder.send("/v1/messages", { body: message, headers: { "x-gateway-key-id": own.id } })
    expect(asked.status).toBe(200)
    await expect
      .poll(async () => (await operator.send(`/admin/v1/requests/${asked.headers.get("x-request-id")}`)).json.key)
      .toBe((await holder.send("/console/session")).json.key_id)
  })

  it("is listed, and ended by id: here, and by a command", async () => {
    const operator = await signedIn()
    const others = [await signedIn(), await signedIn()]
    /** By its own word: two of one millisecond are in either order. */
    const idOf = async (session: typeof operator | undefined) =>
      (await session?.send("/admin/v1/sessions"))?.json.data.find((one: { current: boolean }) => one.current)
        .id as string
    const { data } = (await operator.send("/admin/v1/sessions")).json
    expect(data[0]).toMatchObject({ object: "session", kind: "operator", account: null })
    const current = data.filter((one: { current: boolean }) => one.current)
    expect(current).toHaveLength(1)
    const [first, second] = [await idOf(others[0]), await idOf(others[1])]
    const ended = await operator.send(`/admin/v1/sessions/${first}`, { method: "DELETE" })
    expect([ended.status, ended.json.id]).toEqual([200, first])
    expect((await others[0]?.send("/admin/v1/keys"))?.status).toBe(401)
    const folder = gateway.folder
    const list = (await runCommand(folder, ["sessions", "list", "--json"], env)).json<Array<{ id: string }>>()
    expect(list.map(({ id }) => id)).toContain(second)
    expect((await runCommand(folder, ["sessions", "revoke", second], env)).code).toBe(0)
    await expect.poll(async () => (await others[1]?.send("/admin/v1/keys"))?.status).toBe(401)
    expect((await operator.send("/admin/v1/keys")).status).toBe(200)
    expect((await runCommand(folder, ["sessions", "revoke", second], env)).err).toContain("no session")
  })

  it("leaves no token where it is stored", async () => {
    const operator = await signedIn()
    const url = env["GATEWAY_DATABASE_URL"] ?? `sqlite://${gateway.folder}/data/gateway.db`
    const sql = new Bun.SQL(url)
    try {
      const stored = JSON.stringify(await sql`SELECT * FROM sessions`)
      const token = operator.cookie.split("=")[1] ?? ""
      expect(token).toHaveLength(43)
      expect(stored).toContain(Bun.SHA256.hash(token, "hex"))
      expect(stored).not.toContain(token)
      expect(stored).not.toContain(operator.csrf)
      expect(stored).not.toContain(adminKey)
      expect(stored).not.toContain(Bun.SHA256.hash(adminKey, "hex"))
    } finally {
      await sql.close()
    }
  })
})
