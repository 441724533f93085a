import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JWTPayload } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { anyAddress } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { confused, startForger, unsigned } from "./forger.ts"
import type { Forger } from "./forger.ts"
import { Visitor } from "./visitor.ts"

let honest: Forger
let other: Forger
let gateway: GatewayHere

beforeAll(async () => {
  ;[honest, other] = await Promise.all([startForger(), startForger()])
  const folder = mkdtempSync(join(tmpdir(), "gateway-attacks-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `server: { trusted_proxies: [127.0.0.0/8, "::1"] }
sign_in:
  oidc:
    - { issuer: "${honest.issuer}", client_id: gateway, client_secret: secret-of-tests }
    - { issuer: "${other.issuer}", client_id: gateway, client_secret: secret-of-tests }
  roles: [{ group: staff, role: operator }]
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([honest.stop(), other.stop()])
})

const from = (address = anyAddress()) => ({ headers: { "x-forwarded-for": address } })

/** Begins a sign-in; the state that the provider would send back. */
const begin = async (visitor: Visitor, at = honest, more = "") => {
  const answer = await visitor.send(`${gateway.url}/sign-in?issuer=${encodeURIComponent(at.issuer)}${more}`, from())
  expect(answer.status).toBe(303)
  const location = answer.headers.get("location") ?? ""
  at.asked(location)
  return new URL(location).searchParams
}

const callback = (visitor: Visitor, query: Record<string, string>) =>
  visitor.send(`${gateway.url}/sign-in/callback?${new URLSearchParams(query)}`, { ...from(), isForeign: true })

const comeBack = async (visitor: Visitor, at = honest) => {
  const asked = await begin(visitor, at)
  return callback(visitor, { code: "c", state: asked.get("state") ?? "" })
}

const refused = async (visitor: Visitor, answer: Response) => {
  const page = await answer.text()
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.headers.get("content-type")).toContain("text/html")
  expect(page).toContain("Not signed in")
  expect(page).not.toMatch(/eyJ|secret-of-tests|at .*\.ts:/)
  expect(visitor.cookies(gateway.url).has("gateway_session")).toBe(false)
  expect((await visitor.session(gateway.url)).signed_in).toBe(false)
}

describe("an ID token", () => {
  it("opens a session where it is the provider's own", async () => {
    const visitor = new Visitor()
    honest.answers((claims) => honest.sign(claims))
    const answer = await comeBack(visitor)
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console"])
    expect(await visitor.session(gateway.url)).toMatchObject({
      signed_in: true,
      name: "ann@corp.test",
      role: "operator"
    })
  })

  const changed = (change: JWTPayload) => (claims: JWTPayload) => honest.sign({ ...claims, ...change })
  const without = (name: string) => (claims: JWTPayload) =>
    honest.sign(Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name)))

  it.each<[string, (claims: JWTPayload) => Promise<string> | string]>([
    ["without a signature", (claims) => unsigned(claims)],
    ["signed with the public key as a password", (claims) => confused(claims, honest.jwk)],
    ["signed with a stranger's key", (claims) => honest.sign(claims, honest.stranger)],
    ["signed by another provider", (claims) => other.sign(claims)],
    ["for another client", changed({ aud: "another" })],
    ["for several clients, by another", changed({ aud: ["gateway", "another"], azp: "another" })],
    ["of another issuer", (claims) => honest.sign({ ...claims, iss: other.issuer })],
    ["that has expired", (claims) => honest.sign({ ...claims, iat: honest.now() - 900, exp: honest.now() - 600 })],
    ["with another nonce", changed({ nonce: "another" })],
    ["without a nonce", without("nonce")],
    ["without a subject", without("sub")],
    ["that never expires", without("exp")],
    ["that was cut", async (claims) => (await honest.sign(claims)).slice(0, -8)]
  ])("%s is refused", async (_, idToken) => {
    const visitor = new Visitor()
    honest.answers(idToken)
    await refused(visitor, await comeBack(visitor))
  })
})

describe("the callback", () => {
  beforeAll(() => honest.answers((claims) => honest.sign(claims)))

  it("takes a state once, also from a browser that kept its cookies", async () => {
    const visitor = new Visitor()
    const state = (await begin(visitor)).get("state") ?? ""
    const kept = new Map(visitor.cookies(gateway.url))
    expect((await callback(visitor, { code: "c", state })).status).toBe(303)
    const again = new Visitor()
    for (const [name, value] of kept) again.cookies(gateway.url).set(name, value)
    const exchanges = honest.exchanges()
    await refused(again, await callback(again, { code: "c", state }))
    expect(honest.exchanges()).toBe(exchanges)
  })

  it("belongs to the browser that began: a stranger's address signs nobody in", async () => {
    const attacker = new Visitor()
    const state = (await begin(attacker)).get("state") ?? ""
    const exchanges = honest.exchanges()
    const victim = new Visitor()
    await refused(victim, await callback(victim, { code: "c", state }))
    const busy = new Visitor()
    await begin(busy)
    await refused(busy, await callback(busy, { code: "c", state }))
    const guessing = new Visitor()
    await begin(guessing)
    for (const query of [{ code: "c" }, { code: "c", state: "" }, { state }, {}]) {
      await refused(guessing, await callback(guessing, query))
    }
    expect(honest.exchanges()).toBe(exchanges)
  })

  it("takes no cookie that the gateway did not write, or wrote for another state", async () => {
    const visitor = new Visitor()
    const state = (await begin(visitor)).get("state") ?? ""
    const sealed = visitor.cookies(gateway.url).get("gateway_sign_in") ?? ""
    expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain(state)
    visitor.cookies(gateway.url).set(
      "gateway_sign_in",
      sealed.replace(/.$/, (end) => (end === "A" ? "Q" : "A"))
    )
    await refused(visitor, await callback(visitor, { code: "c", state }))
  })

  it("refuses another provider's answer (mix-up)", async () => {
    const visitor = new Visitor()
    const state = (await begin(visitor)).get("state") ?? ""
    const exchanges = other.exchanges()
    await refused(visitor, await callback(visitor, { code: "c", state, iss: other.issuer }))
    expect(other.exchanges()).toBe(exchanges)
  })

  it("shows what the provider refused as text", async () => {
    const visitor = new Visitor()
    const state = (await begin(visitor)).get("state") ?? ""
    const answer = await callback(visitor, { error: "<script>alert(1)</script>", state })
    const page = await answer.text()
    expect([answer.status, page.includes("<script>")]).toEqual([403, false])
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  })

  it.each(["https://evil.test/", "//evil.test/console", "/\\evil.test", "/admin/v1/keys", "/console/../admin"])(
    "leads to no other place: %s",
    async (to) => {
      const visitor = new Visitor()
      const state = (await begin(visitor, honest, `&return_to=${encodeURIComponent(to)}`)).get("state") ?? ""
      const answer = await callback(visitor, { code: "c", state })
      expect(answer.headers.get("location")).toBe("/console")
    }
  )

  it("ends the session that the browser had, and keeps none that was planted", async () => {
    const visitor = new Visitor()
    await comeBack(visitor)
    const before = visitor.cookies(gateway.url).get("gateway_session") ?? ""
    const state = (await begin(visitor)).get("state") ?? ""
    await callback(visitor, { code: "c", state })
    const after = visitor.cookies(gateway.url).get("gateway_session") ?? ""
    expect(after).not.toBe(before)
    const planted = new Visitor()
    planted.cookies(gateway.url).set("gateway_session", before)
    expect((await planted.session(gateway.url)).signed_in).toBe(false)
    expect((await visitor.session(gateway.url)).signed_in).toBe(true)
  })
})

describe("signing out", () => {
  const logoutToken = (change: JWTPayload = {}) => ({
    iss: honest.issuer,
    aud: "gateway",
    sub: "ann",
    iat: honest.now(),
    exp: honest.now() + 120,
    jti: crypto.randomUUID(),
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    ...change
  })
  const lacking = (name: string) => Object.fromEntries(Object.entries(logoutToken()).filter(([one]) => one !== name))
  const send = (token: string, address = anyAddress()) =>
    fetch(`${gateway.url}/sign-in/logout`, {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: new URLSearchParams({ logout_token: token })
    })
  const signedIn = async () => {
    honest.answers((claims) => honest.sign(claims))
    const visitor = new Visitor()
    await comeBack(visitor)
    return visitor
  }

  it("needs the page's token, and tells where the provider's own sign-in ends", async () => {
    const visitor = await signedIn()
    const { csrf } = await visitor.session(gateway.url)
    const forged = await visitor.send(`${gateway.url}/console/session`, { method: "DELETE" })
    const foreign = await visitor.send(`${gateway.url}/console/session`, {
      method: "DELETE",
      headers: { "x-gateway-csrf": csrf, "sec-fetch-site": "cross-site" }
    })
    expect([forged.status, foreign.status]).toEqual([403, 403])
    expect((await visitor.session(gateway.url)).signed_in).toBe(true)
    const out = await visitor.send(`${gateway.url}/console/session`, {
      method: "DELETE",
      headers: { "x-gateway-csrf": csrf }
    })
    expect((await out.json()).provider_sign_out).toContain(`${honest.issuer}/end?`)
    expect((await visitor.session(gateway.url)).signed_in).toBe(false)
  })

  it("is done by the provider's token, once", async () => {
    const visitor = await signedIn()
    const token = await honest.sign(logoutToken())
    expect((await send(token)).status).toBe(200)
    expect((await visitor.session(gateway.url)).signed_in).toBe(false)
    const again = await signedIn()
    expect((await send(token)).status).toBe(400)
    expect((await again.session(gateway.url)).signed_in).toBe(true)
  })

  it.each<[string, () => Promise<string> | string]>([
    ["nothing", () => ""],
    ["no token", () => "a.b.c"],
    ["a token without a signature", () => unsigned(logoutToken())],
    ["the public key as a password", () => confused(logoutToken(), honest.jwk)],
    ["a stranger's", () => honest.sign(logoutToken(), honest.stranger)],
    ["another provider's", () => other.sign(logoutToken())],
    ["an unknown issuer's", () => honest.sign(logoutToken({ iss: "https://elsewhere.test" }))],
    ["one for another client", () => honest.sign(logoutToken({ aud: "another" }))],
    ["an ID token", () => honest.sign(logoutToken({ nonce: "n" }))],
    ["one without its event", () => honest.sign(logoutToken({ events: {} }))],
    ["one without an id", () => honest.sign(lacking("jti"))],
    ["one of ten minutes ago", () => honest.sign(logoutToken({ iat: honest.now() - 600, exp: honest.now() + 60 }))],
    ["one of nobody", () => honest.sign(lacking("sub"))],
    ["nine kilobytes", () => "a".repeat(9_000)]
  ])("is not done by %s", async (_, token) => {
    const visitor = await signedIn()
    expect((await send(await token())).status).toBe(400)
    expect((await visitor.session(gateway.url)).signed_in).toBe(true)
  })

  it("is looked at more slowly from an address that sends wrong tokens, and right ones are taken", async () => {
    const visitor = await signedIn()
    const address = anyAddress()
    let ms = 0
    // A new minute may begin meanwhile.
    for (let n = 0; n < 60 && ms < 300; n++) {
      const began = performance.now()
      expect((await send("wrong", address)).status).toBe(400)
      ms = performance.now() - began
    }
    expect(ms).toBeGreaterThanOrEqual(300)
    expect((await send(await honest.sign(logoutToken()), address)).status).toBe(200)
    expect((await visitor.session(gateway.url)).signed_in).toBe(false)
  })

  it("is not done by a page of another site, whatever it sends", async () => {
    const visitor = await signedIn()
    const token = await honest.sign(logoutToken())
    for (const header of [{ "sec-fetch-site": "cross-site" }, { origin: "https://elsewhere.test" }]) {
      const answer = await fetch(`${gateway.url}/sign-in/logout`, {
        method: "POST",
        headers: { ...from().headers, ...header },
        body: new URLSearchParams({ logout_token: token })
      })
      expect(answer.status).toBe(400)
    }
    expect((await visitor.session(gateway.url)).signed_in).toBe(true)
  })
})
