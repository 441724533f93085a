import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cookieFor, isForeign, newToken, tokenIn } from "../../src/console/token.ts"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { Browser, startBehindProxy } from "./browser.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

describeOnEach("sessions of the console", () => {
  let env: Record<string, string>
  let gateway: GatewayProcess
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
    expect([status, json]).toEqual([200, { object: "own_session", signed_in: false, admin: true }])
    expect(browser.lastSetCookie).toBe("")
  })

  it("reads no more of a body than a key needs, for anybody may send one", async () => {
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
    expect(audit[0].actor).toMatch(/^session_/)
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
    // Of two cookies nobody knows which is the browser's own.
    attacker.cookie = `${stolen}; ${planted.cookie}`
    expect((await attacker.send("/admin/v1/keys")).status).toBe(401)
  })

  it("ends where somebody signs out", async () => {
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
    expect(await told()).toEqual({ object: "own_session", signed_in: false, admin: true })
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
    const { data } = (await operator.send("/admin/v1/sessions")).json
    expect(data[0]).toMatchObject({ object: "session", kind: "operator", account: null })
    const current = data.filter((one: { current: boolean }) => one.current)
    expect(current).toHaveLength(1)
    const [second, first] = data
    const ended = await operator.send(`/admin/v1/sessions/${first.id}`, { method: "DELETE" })
    expect([ended.status, ended.json.id]).toEqual([200, first.id])
    expect((await others[0]?.send("/admin/v1/keys"))?.status).toBe(401)
    const folder = gateway.folder
    const list = (await runCommand(folder, ["sessions", "list", "--json"], env)).json<Array<{ id: string }>>()
    expect(list.map(({ id }) => id)).toContain(second.id)
    expect((await runCommand(folder, ["sessions", "revoke", second.id], env)).code).toBe(0)
    await expect.poll(async () => (await others[1]?.send("/admin/v1/keys"))?.status).toBe(401)
    expect((await operator.send("/admin/v1/keys")).status).toBe(200)
    expect((await runCommand(folder, ["sessions", "revoke", second.id], env)).err).toContain("no session")
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

describeOnEach("signing in without an admin key", () => {
  it("takes the link of the welcome, once, and another that a command prints", async () => {
    const env = await gatewayEnv("console link")
    const gateway = await startGateway({ env })
    try {
      const operator = new Browser(gateway.url)
      expect((await operator.send("/console/session")).json.admin).toBe(false)
      expect((await operator.send("/admin/v1/keys")).status).toBe(404)
      const [, address, link = ""] = await expect
        .poll(() => /(http\S+)\/console#link=([\w-]{43})/.exec(gateway.output()))
        .not.toBeNull()
        .then(() => /(http\S+)\/console#link=([\w-]{43})/.exec(gateway.output()) ?? [])
      expect(address).toBe(gateway.url)
      expect((await operator.signIn({ link: "x".repeat(43) })).status).toBe(401)
      // Whoever opens it is one, however many try at the same moment.
      const others = Array.from({ length: 6 }, () => new Browser(gateway.url))
      const answers = await Promise.all(others.map((browser) => browser.signIn({ link })))
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        200, 401, 401, 401, 401, 401
      ])
      const opened = others.find(({ csrf }) => csrf !== "")
      expect((await opened?.send("/admin/v1/keys"))?.status).toBe(200)
      const printed = await runCommand(gateway.folder, ["sessions", "link"], env)
      const another = printed.out.trim().split("#link=")[1] ?? ""
      // A link is no cookie.
      operator.cookie = `gateway_session=${another}`
      expect((await operator.send("/admin/v1/keys")).status).toBe(404)
      operator.cookie = ""
      expect((await operator.signIn({ link: another })).json.kind).toBe("operator")
    } finally {
      await gateway.dispose()
    }
  })
})

describe("tries", () => {
  it("are ten a minute from an address, with right keys and wrong ones", async () => {
    const gateway = await startBehindProxy({ GATEWAY_ADMIN_KEY: adminKey })
    try {
      const address = "203.0.113.9"
      const from = async (key: string, at = address) => (await new Browser(gateway.url, at).signIn({ key })).status
      // Eleven within one minute, of however many.
      const keys = [adminKey, "wrong", gateway.key]
      const statuses: Array<number> = []
      while (!statuses.includes(429) && statuses.length < 40) {
        statuses.push(await from(keys[statuses.length % keys.length] ?? ""))
      }
      expect(statuses.slice(0, 10)).toEqual([200, 401, 200, 200, 401, 200, 200, 401, 200, 200])
      expect(statuses).toContain(429)
      const refused = await new Browser(gateway.url, address).signIn({ key: adminKey })
      if (refused.status === 429) {
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(refused.headers.get("set-cookie")).toBeNull()
      }
      // Nobody else is kept out, and what has the key of the admin API needs no session.
      expect(await from(adminKey, "203.0.113.10")).toBe(200)
      const admin = await fetch(`${gateway.url}/admin/v1/keys`, {
        headers: { authorization: `Bearer ${adminKey}`, "x-forwarded-for": address }
      })
      expect(admin.status).toBe(200)
    } finally {
      await gateway.dispose()
    }
  })

  it("say what is missing", async () => {
    const gateway = await startGateway()
    try {
      const browser = new Browser(gateway.url)
      for (const body of [{}, { key: "a", link: "b" }, { key: "" }, { key: "a".repeat(501) }, { key: "a", more: 1 }]) {
        expect((await browser.send("/console/session", { body })).status).toBe(400)
      }
      expect(browser.cookie).toBe("")
    } finally {
      await gateway.dispose()
    }
  })
})

describe("where browsers come by TLS", () => {
  it("no cookie counts that a neighbour or somebody on the way could have set", async () => {
    const gateway = await startBehindProxy({
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_PUBLIC_URL: "https://gateway.example"
    })
    try {
      const attacker = new Browser(gateway.url)
      await attacker.signIn({ key: gateway.key })
      expect(attacker.lastSetCookie).toMatch(
        /^__Host-gateway_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200; Secure$/
      )
      expect((await attacker.send("/v1/balance")).status).toBe(200)
      // Planted under the name that needs no TLS: another subdomain can do that, and whoever answers http in its name.
      const planted = attacker.cookie.replace("__Host-", "")
      const victim = new Browser(gateway.url)
      victim.cookie = planted
      expect((await victim.send("/console/session")).json.signed_in).toBe(false)
      expect((await victim.send("/v1/balance")).status).toBe(401)
      await victim.signIn({ key: adminKey })
      victim.cookie = `${planted}; ${victim.cookie}`
      expect((await victim.send("/admin/v1/keys")).status).toBe(200)
      const plain = await new Browser(gateway.url).signIn({ key: adminKey }, { origin: "http://gateway.example" })
      expect(plain.status).toBe(403)
      const out = await victim.send("/console/session", { method: "DELETE" })
      expect([out.status, victim.lastSetCookie]).toEqual([
        200,
        "__Host-gateway_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure"
      ])
    } finally {
      await gateway.dispose()
    }
  })
})

describe("an operator's session", () => {
  it("is over when the admin key is another", async () => {
    const first = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
    const operator = new Browser(first.url)
    await operator.signIn({ key: adminKey })
    first.signal("SIGTERM")
    await first.exited
    const second = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey }, folder: first.folder })
    const again = new Browser(second.url)
    again.cookie = operator.cookie
    expect((await again.send("/admin/v1/keys")).status).toBe(200)
    second.signal("SIGTERM")
    await second.exited
    const third = await startGateway({ env: { GATEWAY_ADMIN_KEY: `${adminKey}2` }, folder: first.folder })
    try {
      const later = new Browser(third.url)
      later.cookie = operator.cookie
      expect((await later.send("/admin/v1/keys")).status).toBe(401)
    } finally {
      await third.dispose()
    }
  })
})

describe("a token", () => {
  it("is found among other cookies, and secure where the gateway is", () => {
    const token = newToken()
    const pair = `gateway_session=${Redacted.value(token)}`
    for (const cookie of [pair, `a=b; ${pair}`, `${pair}; c=d`, `xgateway_session=e;${pair}`]) {
      expect(Redacted.value(tokenIn(cookie, false) ?? Redacted.make(""))).toBe(Redacted.value(token))
    }
    for (const cookie of ["", "gateway_session=", `x${pair}`, `${pair}x`, `${pair}; ${pair}`]) {
      expect(tokenIn(cookie, false)).toBeUndefined()
    }
    const secure = `__Host-${pair}`
    expect(cookieFor(token, 60, false)).toBe(`${pair}; HttpOnly; SameSite=Strict; Path=/; Max-Age=60`)
    expect(cookieFor(token, 60, true)).toBe(`${secure}; HttpOnly; SameSite=Strict; Path=/; Max-Age=60; Secure`)
    expect(tokenIn(pair, true)).toBeUndefined()
    expect(tokenIn(secure, false)).toBeUndefined()
    expect(Redacted.value(tokenIn(`${pair}; ${secure}`, true) ?? Redacted.make(""))).toBe(Redacted.value(token))
    expect(JSON.stringify(token)).not.toContain(Redacted.value(token))
  })

  it("comes from the public URL too, where a proxy changes the host", () => {
    const from = (headers: Record<string, string>) => isForeign(new Headers(headers), "https://gateway.example/base")
    expect(from({ host: "10.0.0.5:8080", origin: "https://gateway.example" })).toBe(false)
    expect(from({ host: "10.0.0.5:8080", origin: "http://gateway.example" })).toBe(true)
    expect(from({ host: "10.0.0.5:8080", origin: "http://10.0.0.5:8080" })).toBe(false)
    expect(from({ host: "10.0.0.5:8080" })).toBe(false)
    expect(from({ "sec-fetch-site": "none" })).toBe(false)
  })
})
