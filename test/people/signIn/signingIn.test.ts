import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { isEmbedded, isForeign, isLedHere } from "../../../src/guard/foreign.ts"
import { cookieFor, newToken, tokenIn } from "../../../src/people/signIn/token.ts"
import { runCommand } from "../../e2e/command.ts"
import { startGateway } from "../../e2e/process.ts"
import { describeOnEach, gatewayEnv } from "../../sql/engines.ts"
import { Browser, startBehindProxy } from "../../console/browser.ts"
import { adminKey } from "./sessionKeys.ts"

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
      // One of many concurrent attempts opens it.
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
  it("with wrong keys slow an address down, and right ones from there are let in", async () => {
    const gateway = await startBehindProxy({ GATEWAY_ADMIN_KEY: adminKey })
    try {
      const address = "203.0.113.9"
      const from = async (key: string, at = address) => (await new Browser(gateway.url, at).signIn({ key })).status
      const timed = async (key: string) => {
        const began = performance.now()
        return [await from(key), performance.now() - began] as const
      }
      const statuses = await Promise.all(Array.from({ length: 100 }, (_, n) => from(`wrong-${n}`)))
      expect(new Set(statuses)).toEqual(new Set([401]))
      // A new minute may have begun.
      let [status, ms] = [0, 0]
      for (let n = 0; n < 60 && ms < 1_000; n++) [status, ms] = await timed(`slow-${n}`)
      expect([status, ms >= 1_000]).toEqual([401, true])
      const rights = await Promise.all([adminKey, gateway.key].map((key) => from(key)))
      expect(rights).toEqual([200, 200])
      // Other addresses wait for nothing.
      expect(await from(adminKey, "203.0.113.10")).toBe(200)
    } finally {
      await gateway.dispose()
    }
  })

  it("with right keys slow an address down after hundreds, since each is stored", async () => {
    const gateway = await startBehindProxy({ GATEWAY_ADMIN_KEY: adminKey })
    try {
      const signIn = async () => (await new Browser(gateway.url, "203.0.113.9").signIn({ key: gateway.key })).status
      // A new minute may begin meanwhile.
      let ms = 0
      for (let n = 0; n < 70 && ms < 500; n++) {
        const began = performance.now()
        expect(await Promise.all(Array.from({ length: 10 }, signIn))).toEqual(Array(10).fill(200))
        ms = n < 30 ? 0 : performance.now() - began
      }
      expect(ms).toBeGreaterThanOrEqual(500)
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
  it("no cookie counts that a neighbouring host or an attacker on the network could have set", async () => {
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
      // Planted under the name that needs no TLS: another subdomain can do that, and so can an attacker who answers HTTP in its name.
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

const plain = { entry: "whole" as const, isSecure: false, path: "" }
const tls = { entry: "whole" as const, isSecure: true, path: "" }

describe("a page elsewhere", () => {
  const sent = (headers: Record<string, string>) => {
    const all = new Headers(headers)
    return [isEmbedded(all), isLedHere(all)]
  }
  const fetched = (site: string, mode: string, dest: string, more: Record<string, string> = {}) =>
    sent({ "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest, ...more })

  it("has what it loads by itself told from what a person opens", () => {
    expect(fetched("cross-site", "no-cors", "image")).toEqual([true, true])
    expect(fetched("same-site", "no-cors", "image")).toEqual([true, true])
    expect(fetched("cross-site", "navigate", "iframe", { "sec-fetch-user": "?1" })).toEqual([true, false])
    expect(fetched("cross-site", "cors", "empty")).toEqual([true, true])
    expect(fetched("cross-site", "navigate", "document")).toEqual([false, true])
    expect(fetched("cross-site", "navigate", "document", { "sec-fetch-user": "?1" })).toEqual([false, false])
    expect(fetched("none", "navigate", "document")).toEqual([false, false])
    expect(fetched("same-origin", "cors", "empty")).toEqual([false, false])
    // Without TLS, and old browsers.
    expect(sent({ accept: "image/avif,image/webp,image/*,*/*;q=0.8" })).toEqual([true, false])
    expect(sent({ accept: "text/html,application/xhtml+xml,image/avif,*/*;q=0.8" })).toEqual([false, false])
    expect(sent({})).toEqual([false, false])
  })
})

describe("a token", () => {
  it("is found among other cookies, and secure where the gateway is", () => {
    const token = newToken()
    const pair = `gateway_session=${Redacted.value(token)}`
    for (const cookie of [pair, `a=b; ${pair}`, `${pair}; c=d`, `xgateway_session=e;${pair}`]) {
      expect(Redacted.value(tokenIn(cookie, plain) ?? Redacted.make(""))).toBe(Redacted.value(token))
    }
    for (const cookie of ["", "gateway_session=", `x${pair}`, `${pair}x`, `${pair}; ${pair}`]) {
      expect(tokenIn(cookie, plain)).toBeUndefined()
    }
    const secure = `__Host-${pair}`
    expect(cookieFor(token, 60, plain)).toBe(`${pair}; HttpOnly; SameSite=Strict; Path=/; Max-Age=60`)
    expect(cookieFor(token, 60, tls)).toBe(`${secure}; HttpOnly; SameSite=Strict; Path=/; Max-Age=60; Secure`)
    expect(tokenIn(pair, tls)).toBeUndefined()
    expect(tokenIn(secure, plain)).toBeUndefined()
    expect(Redacted.value(tokenIn(`${pair}; ${secure}`, tls) ?? Redacted.make(""))).toBe(Redacted.value(token))
    const below = { entry: "whole" as const, isSecure: true, path: "/gw" }
    expect(cookieFor(token, 60, below)).toBe(
      `__Secure-${pair}; HttpOnly; SameSite=Strict; Path=/gw; Max-Age=60; Secure`
    )
    expect(tokenIn(secure, below)).toBeUndefined()
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
