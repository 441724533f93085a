import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { adminKey } from "../people/signIn/sessionKeys.ts"
import { codeProgram } from "../people/programs/codeProgram.ts"
import { deviceGrant } from "../people/programs/world.ts"
import { startProvider } from "../people/startProvider.ts"
import { fakeSignIn } from "../people/tools/fakeSignIn.ts"
import { Visitor } from "../people/visitor.ts"

let gateway: GatewayHere
let provider: Awaited<ReturnType<typeof startProvider>>
const fake = fakeSignIn()

beforeAll(async () => {
  provider = await startProvider({
    isApart: true,
    more: `mcp: { servers: { jira: { url: "${fake.url}", auth: person } } }\n`
  })
  gateway = await startGateway({
    folder: provider.folder,
    env: { ...provider.env, GATEWAY_ADMIN_KEY: adminKey, GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }
  })
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), fake.stop()])
  await provider.stop()
})

const signedIn = async (at: string, name = "ann", path?: string) => {
  const visitor = new Visitor()
  const answer = await visitor.signIn(at, name, path)
  expect(answer.status).toBe(303)
  return { visitor, location: answer.headers.get("location") }
}

const get = (url: string, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, { headers: { cookie, ...headers }, redirect: "manual" })

const tokenOf = (visitor: Visitor, at: string) =>
  [...visitor.cookies(at)].find(([name]) => name.endsWith("session")) ?? ["", ""]

describe("people at a gateway whose operators have an address of their own", () => {
  it("sign in to the console there, and come back to it", async () => {
    const { location, visitor } = await signedIn(gateway.adminUrl, "ann", "/sign-in?return_to=/console/keys")
    expect(location).toBe("/console/keys")
    const session = await visitor.session(gateway.adminUrl)
    expect(session).toMatchObject({ signed_in: true, role: "operator", accounts: null, public_url: gateway.url })
    const keys = await visitor.send(`${gateway.adminUrl}/admin/v1/keys`)
    expect(keys.status).toBe(200)
    const out = await visitor.send(`${gateway.adminUrl}/console/session`, {
      method: "DELETE",
      headers: { "x-gateway-csrf": session.csrf }
    })
    const { provider_sign_out } = await out.json()
    expect(new URL(provider_sign_out).searchParams.get("post_logout_redirect_uri")).toBe(`${gateway.adminUrl}/console`)
  })

  it.each([
    ["/sign-in", "/console/device"],
    ["/sign-in?return_to=/console/keys", "/console/device"],
    ["/sign-in?return_to=/console", "/console/device"],
    ["/sign-in?return_to=/console/device/../keys", "/console/device"],
    ["/sign-in?return_to=/console/device?user_code=BCDF-GHJK", "/console/device?user_code=BCDF-GHJK"],
    ["/sign-in?return_to=/console/tools?connect=jira", "/console/tools?connect=jira"],
    ["/sign-in?return_to=/console/consent?request=x", "/console/consent?request=x"]
  ])("at the public address %s leads to %s", async (path, to) => {
    expect((await signedIn(gateway.url, "ann", path)).location).toBe(to)
  })

  it("get the accounts of their role there, since its pages can't ask the admin API", async () => {
    const { visitor } = await signedIn(gateway.url)
    const session = await visitor.session(gateway.url)
    expect(session).toMatchObject({ signed_in: true, person: true, role: "operator" })
    expect(session.accounts).toContain("default")
    expect((await visitor.send(`${gateway.url}/admin/v1/accounts`)).status).toBe(404)
    const out = await visitor.send(`${gateway.url}/console/session`, {
      method: "DELETE",
      headers: { "x-gateway-csrf": session.csrf }
    })
    const { provider_sign_out } = await out.json()
    const back = new URL(provider_sign_out).searchParams.get("post_logout_redirect_uri")
    expect(back).toBe(`${gateway.url}/console/device`)
  })

  it("open nothing at one address with the session of the other, whatever its cookie is called", async () => {
    const [here, there] = [(await signedIn(gateway.url)).visitor, (await signedIn(gateway.adminUrl)).visitor]
    const [publicName, publicToken] = tokenOf(here, gateway.url)
    const [adminName, adminToken] = tokenOf(there, gateway.adminUrl)
    expect([publicName, adminName]).toEqual(["gateway_session", "gateway_admin_session"])
    for (const name of [publicName, adminName, `__Host-${publicName}`, `__Host-${adminName}`]) {
      const lent = `${name}=${publicToken}`
      expect(await (await get(`${gateway.adminUrl}/console/session`, lent)).json()).toMatchObject({ signed_in: false })
      expect((await get(`${gateway.adminUrl}/admin/v1/keys`, lent)).status).toBe(401)
      const taken = `${name}=${adminToken}`
      expect(await (await get(`${gateway.url}/console/session`, taken)).json()).toMatchObject({ signed_in: false })
    }
    // A browser sends the cookies of both ports of a host to both.
    const both = `${publicName}=${publicToken}; ${adminName}=${adminToken}`
    for (const at of [gateway.url, gateway.adminUrl]) {
      expect(await (await get(`${at}/console/session`, both)).json()).toMatchObject({ signed_in: true })
    }
    expect((await get(`${gateway.adminUrl}/admin/v1/keys`, both)).status).toBe(200)
  })

  it("can't end at one address a sign-in that was begun at the other", async () => {
    for (const [from, to] of [
      [gateway.url, gateway.adminUrl],
      [gateway.adminUrl, gateway.url]
    ] as const) {
      const visitor = new Visitor()
      const back = new URL(await visitor.authorize(from, "ann"))
      const cookie = [...visitor.cookies(from)].find(([name]) => name.endsWith("sign_in"))?.[1] ?? ""
      for (const name of ["gateway_sign_in", "gateway_admin_sign_in"]) {
        const answer = await get(to + back.pathname + back.search, `${name}=${cookie}`)
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
      }
      // It is still good where it was begun.
      expect((await visitor.send(back.href, { isForeign: true })).status).toBe(303)
    }
  })

  it("call models from the console alone: a cookie opens none at the public address", async () => {
    const [here, there] = [(await signedIn(gateway.url)).visitor, (await signedIn(gateway.adminUrl)).visitor]
    const { data } = await (await there.send(`${gateway.adminUrl}/admin/v1/keys`)).json()
    const named = { "x-gateway-key-id": data[0].id }
    const models = (visitor: Visitor, at: string) => visitor.send(`${at}/v1/models`, { headers: named })
    expect((await models(there, gateway.adminUrl)).status).toBe(200)
    expect((await models(here, gateway.url)).status).toBe(401)
  })

  it("can't be signed in by a key or a link at the public address, which tells of no admin key", async () => {
    const open = (at: string) =>
      fetch(`${at}/console/session`, { method: "POST", body: JSON.stringify({ key: adminKey }) })
    expect((await open(gateway.adminUrl)).status).toBe(200)
    expect((await open(gateway.url)).status).toBe(404)
    const told = async (at: string) => (await fetch(`${at}/console/session`)).json()
    expect(await told(gateway.adminUrl)).toMatchObject({ signed_in: false, admin: true })
    expect(await told(gateway.url)).toMatchObject({ signed_in: false, admin: false })
  })

  it("are not acted for by pages of the other address, or of any other site", async () => {
    const { visitor } = await signedIn(gateway.url)
    const { csrf } = await visitor.session(gateway.url)
    const find = (headers: Readonly<Record<string, string>>) =>
      visitor.send(`${gateway.url}/console/devices/find`, {
        method: "POST",
        headers: { "x-gateway-csrf": csrf, ...headers },
        body: JSON.stringify({ code: "BCDF-GHJK" })
      })
    expect((await find({})).status).toBe(404)
    for (const headers of [
      { origin: gateway.adminUrl },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.test" },
      { "x-gateway-csrf": "" }
    ]) {
      expect([headers, (await find(headers)).status]).toEqual([headers, 403])
    }
    const there = (await signedIn(gateway.adminUrl)).visitor
    const own = await there.session(gateway.adminUrl)
    const create = (headers: Readonly<Record<string, string>>) =>
      there.send(`${gateway.adminUrl}/admin/v1/accounts`, {
        method: "POST",
        headers: { "x-gateway-csrf": own.csrf, ...headers },
        body: JSON.stringify({ id: `acme-${crypto.randomUUID()}` })
      })
    expect((await create({ origin: gateway.url })).status).toBe(403)
    expect((await create({ "x-gateway-csrf": csrf })).status).toBe(403)
    expect((await create({ origin: gateway.adminUrl })).status).toBe(200)
  })

  it.each(["public", "admin"])("let a program in by the device flow, at the %s address", async (where) => {
    const at = where === "public" ? gateway.url : gateway.adminUrl
    const post = async (path: string, form: Readonly<Record<string, string>>) =>
      (await fetch(gateway.url + path, { method: "POST", body: new URLSearchParams(form) })).json()
    const begun = await post("/oauth/device_authorization", { surface: "claude_code" })
    expect(begun.verification_uri).toBe(`${gateway.url}/device`)
    const led = await get(`${at}/device?user_code=${begun.user_code}`, "")
    expect(led.headers.get("location")).toBe(`/console/device?user_code=${begun.user_code}`)
    expect((await get(at + (led.headers.get("location") ?? ""), "")).status).toBe(200)
    const { visitor } = await signedIn(at)
    const { csrf } = await visitor.session(at)
    const decided = await visitor.send(`${at}/console/devices/decide`, {
      method: "POST",
      headers: { "x-gateway-csrf": csrf },
      body: JSON.stringify({ code: begun.user_code, approve: true, account: "default" })
    })
    expect(await decided.json()).toMatchObject({ approved: true })
    const tokens = await post("/oauth/token", { grant_type: deviceGrant, device_code: begun.device_code })
    const models = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${tokens.access_token}` }
    })
    expect(models.status).toBe(200)
  })

  it("let an MCP client in by a code, wholly at the public address", async () => {
    const unknown = await fetch(`${gateway.url}/mcp`, { method: "POST", body: "{}" })
    expect(unknown.headers.get("www-authenticate")).toContain(`${gateway.url}/.well-known/oauth-protected-resource/mcp`)
    const program = codeProgram(gateway.url)
    const redirect = "http://127.0.0.1:1/back"
    const { body } = await program.register([redirect])
    const { visitor } = await signedIn(gateway.url)
    const address = program.address({ client_id: body.client_id, redirect_uri: redirect })
    const code = (await program.approved(visitor, address)).get("code") ?? ""
    const tokens = await program.exchange({ code, client_id: body.client_id, redirect_uri: redirect })
    expect((await program.mcp(tokens.body.access_token)).status).toBe(200)
  })

  it("can be told by `gateway check --live` what to register at the provider", async () => {
    const { out } = await runCommand(provider.folder, ["check", "--live"], provider.env)
    for (const at of [
      `${gateway.url}/sign-in/callback`,
      `${gateway.adminUrl}/sign-in/callback`,
      `${gateway.url}/console/device`,
      `${gateway.adminUrl}/console`
    ]) {
      expect(out).toMatch(new RegExp(` ${at}$`, "m"))
    }
  })

  it("need a safe way to both addresses", async () => {
    const env = { ...provider.env, GATEWAY_ADMIN_PUBLIC_URL: "http://admin.example.com" }
    const { code, err, out } = await runCommand(provider.folder, ["check"], env)
    expect([code, err + out]).toEqual([
      1,
      expect.stringContaining("sign_in: needs an https:// address in server.admin.public_url")
    ])
  })

  it("connect an account at a server from the public address, where the console leads them", async () => {
    const connect = async (visitor: Visitor, at: string) => {
      const { csrf } = await visitor.session(at)
      const headers = { "x-gateway-csrf": csrf }
      const answer = await visitor.send(`${at}/console/tools/jira/connect`, { method: "POST", headers })
      return { location: (await answer.json()).location as string, cookies: answer.headers.getSetCookie() }
    }
    const there = (await signedIn(gateway.adminUrl)).visitor
    expect(await connect(there, gateway.adminUrl)).toEqual({
      location: `${gateway.url}/console/tools?connect=jira`,
      cookies: []
    })
    const here = (await signedIn(gateway.url)).visitor
    const { location } = await connect(here, gateway.url)
    expect(new URL(location).searchParams.get("redirect_uri")).toBe(`${gateway.url}/oauth/mcp/callback`)
    const back = (await here.send(location)).headers.get("location") ?? ""
    const done = await here.send(back, { isForeign: true })
    expect(done.headers.get("location")).toBe("/console/tools?connected=jira")
    const { data } = await (await here.send(`${gateway.url}/console/tools/connections`)).json()
    expect(data).toMatchObject([{ server: "jira", connected_at: expect.any(String) }])
  })
})
