import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import type { Visitor } from "../visitor.ts"
import { codeProgram } from "./codeProgram.ts"
import { startWorld } from "./world.ts"

const loopback = "http://localhost/callback"
const minute = 60_000

describeOnEach("programs that sign in by a code", (engine) => {
  let world: Awaited<ReturnType<typeof startWorld>>
  let program: ReturnType<typeof codeProgram>
  let ann: Visitor
  let client: string

  beforeAll(async () => {
    world = await startWorld(engine, "codes")
    program = codeProgram(world.gateway.url)
    ann = await world.signedIn("ann")
    client = (await program.register([loopback, "https://web.test/cb?a=1"])).body.client_id
  })
  afterAll(() => world.stop())

  const redirect = "http://localhost:4711/callback"
  const asked = (changes: Readonly<Record<string, string | null>> = {}) =>
    program.address({ client_id: client, redirect_uri: redirect, ...changes })
  const codeOf = async (changes: Readonly<Record<string, string | null>> = {}) =>
    (await program.approved(ann, asked(changes))).get("code") ?? ""
  const form = (code: string) => ({ code, client_id: client, redirect_uri: redirect })
  const grants = async () => (await world.run("SELECT hash FROM person_tokens")).length

  it("are told the way by a 401 of /mcp, and by none of other endpoints", async () => {
    const { headers, status } = await program.mcp("")
    expect(status).toBe(401)
    const told = `Bearer resource_metadata="${program.url}/.well-known/oauth-protected-resource/mcp", scope="tools"`
    expect(headers.get("www-authenticate")).toMatch(new RegExp(`^${told.replaceAll(/[.?/]/g, "\\$&")}`))
    for (const path of ["/mcp", "/mcp/sandbox-tools"]) {
      const none = await fetch(program.url + path, { method: "POST", body: "{}" })
      expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, told])
      const opened = await fetch(program.url + path)
      expect([opened.status, opened.headers.get("www-authenticate")]).toEqual([401, told])
    }
    expect((await world.messages("wrong")).headers.get("www-authenticate")).toBeNull()
    for (const path of ["/mcp", "/mcp/sandbox-tools"]) {
      const resource = await (await fetch(`${program.url}/.well-known/oauth-protected-resource${path}`)).json()
      expect(resource).toMatchObject({ resource: `${program.url}/mcp`, authorization_servers: [program.url] })
    }
    const metadata = await (await fetch(`${program.url}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({
      issuer: program.url,
      authorization_endpoint: `${program.url}/oauth/authorize`,
      registration_endpoint: `${program.url}/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["none"]
    })
  })

  it("register with the addresses that are allowed, and nothing is stored", async () => {
    const { body, status } = await program.register([
      loopback,
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      7
    ])
    expect(status).toBe(201)
    expect(body).toMatchObject({
      client_name: "Agent",
      redirect_uris: [loopback, "https://www.cursor.com/agents/mcp/oauth/callback"],
      token_endpoint_auth_method: "none"
    })
    expect(body.client_secret).toBeUndefined()
    for (const wrong of [
      "http://elsewhere.test/cb",
      "http://localhost.evil.test/cb",
      "http://127.0.0.1@evil.test/cb",
      "http://user:pass@localhost/cb",
      "https://user@web.test/cb",
      "https://web.test/cb#part",
      "https://web.test/cb?code=1",
      "https://web.test/cb?state=1",
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "com.example.app:/cb",
      "https://web.test/ü",
      "https://web.test/a b",
      "https://",
      "/callback",
      `https://web.test/${"a".repeat(600)}`,
      ""
    ]) {
      expect(await program.register([wrong]), wrong).toMatchObject({
        status: 400,
        body: { error: "invalid_redirect_uri" }
      })
    }
    const many = Array.from({ length: 11 }, (_, n) => `https://web.test/${n}`)
    const long = Array.from({ length: 10 }, (_, n) => `https://web.test/${n}${"a".repeat(400)}`)
    for (const redirects of [many, long]) {
      expect(await program.register(redirects)).toMatchObject({ body: { error: "invalid_client_metadata" } })
    }
    const named = await program.register([loopback], { client_name: `Claude\u202e ${"x".repeat(200)}\n` })
    expect(named.body.client_name).toMatch(/^Claude x{53}$/)
    expect((await program.register([])).status).toBe(400)
    const huge = await fetch(`${program.url}/oauth/register`, { method: "POST", body: "x".repeat(20_000) })
    expect(huge.status).toBe(400)
  })

  it("lead their person to a page that names them, and get tokens that open the tools alone", async () => {
    const led = await program.open(asked())
    expect(led).toMatchObject({ status: 303, location: expect.stringMatching(/^\/console\/consent\?request=/) })
    const request = program.requestIn(led.location)
    expect(await program.say(ann, "find", { request })).toMatchObject({
      status: 200,
      body: { program: "Agent", host: "localhost:4711", own_computer: true }
    })
    const { body } = await program.say(ann, "decide", { request, approve: true, account: "default" })
    const back = new URL(body.location)
    expect(back.origin + back.pathname).toBe(redirect)
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: "state-1",
      iss: program.url
    })
    const tokens = await program.exchange(form(back.searchParams.get("code") ?? ""))
    expect(tokens).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 3600, scope: "tools" } })
    expect(tokens.body.email).toBeUndefined()
    const { access_token, refresh_token } = tokens.body
    const listed = await program.mcp(access_token)
    expect(listed.body.result.tools.map(({ name }: { readonly name: string }) => name)).toContain("sandbox-tools__dice")
    expect((await program.mcp(access_token, "/mcp/sandbox-tools")).status).toBe(200)
    const stream = await fetch(`${program.url}/mcp`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(stream.status).toBe(405)
    // Also once the tools have made it known.
    for (const path of ["/v1/models", "/v1/balance", "/v1/requests", "/api/oauth/usage", "/managed/settings"]) {
      const answer = await fetch(program.url + path, { headers: { authorization: `Bearer ${access_token}` } })
      expect([path, answer.status]).toEqual([path, 401])
    }
    expect(await world.status(access_token)).toBe(401)
    const asAdmin = await fetch(`${program.url}/admin/v1/keys`, {
      headers: { authorization: `Bearer ${access_token}` }
    })
    expect(asAdmin.status).toBe(401)
    const refresh = { grant_type: "refresh_token", refresh_token, client_id: client }
    const next = await program.token({ ...refresh, resource: `${program.url}/mcp` })
    expect(next).toMatchObject({ status: 200, body: { scope: "tools" } })
    expect((await program.mcp(next.body.access_token)).status).toBe(200)
    expect(await world.status(next.body.access_token)).toBe(401)
    // Those of the device flow open both.
    const device = await world.letIn("ann")
    expect([await world.status(device.access_token), (await program.mcp(device.access_token)).status]).toEqual([
      200, 200
    ])
    const audit = await (await ann.send(`${program.url}/admin/v1/audit?account=default&action=program`)).json()
    expect(audit.data.map(({ after }: { readonly after: unknown }) => after)).toContainEqual({
      program: "Agent",
      issues: "tools",
      client: "localhost:4711"
    })
  })

  it("learn that their person said no, by a click alone", async () => {
    const request = program.requestIn((await program.open(asked({ redirect_uri: "https://web.test/cb?a=1" }))).location)
    expect((await program.say(ann, "find", { request })).body).toMatchObject({ host: "web.test", own_computer: false })
    const { body } = await program.say(ann, "decide", { request, approve: false })
    expect(body.location).toMatch(/^https:\/\/web\.test\/cb\?a=1&error=access_denied&state=state-1&iss=/)
  })

  it("sign out, and lose everything with their person", async () => {
    const tokens = async (name: string, account: string) => {
      const visitor = await world.signedIn(name)
      const code = (await program.approved(visitor, asked(), account)).get("code") ?? ""
      return (await program.exchange(form(code))).body
    }
    const one = await tokens("ann", "default")
    await world.post("/oauth/revoke", { token: one.refresh_token })
    await Bun.sleep(600)
    expect((await program.mcp(one.access_token)).status).toBe(401)
    const tell = (path: string) => fetch(`${world.provider.issuer}/-/${path}`)
    await tell("group?name=ned&group=platform")
    const ned = await tokens("ned", "default")
    expect((await program.mcp(ned.access_token)).status).toBe(200)
    await tell("remove?name=ned")
    await world.run(
      `UPDATE people SET checked_at = checked_at - ${5 * minute}`,
      `UPDATE provider_tokens SET tried_at = tried_at - ${5 * minute}`
    )
    const refreshed = await program.token({
      grant_type: "refresh_token",
      refresh_token: ned.refresh_token,
      client_id: client
    })
    expect(refreshed).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    await Bun.sleep(600)
    const refused = await program.mcp(ned.access_token)
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining(`error="invalid_token"`)
    ])
  })

  it("use a code once; a second time ends the sign-in, also where both come at once", async () => {
    const code = await codeOf()
    const first = await program.exchange(form(code))
    expect(first.status).toBe(200)
    expect((await program.mcp(first.body.access_token)).status).toBe(200)
    expect(await program.exchange(form(code))).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    const { refresh_token } = first.body
    const refresh = { grant_type: "refresh_token", refresh_token, client_id: client }
    expect((await program.token(refresh)).body).toMatchObject({
      error: "invalid_grant",
      error_description: expect.stringContaining("ended")
    })
    await Bun.sleep(600)
    expect((await program.mcp(first.body.access_token)).status).toBe(401)
    for (let round = 0; round < 4; round++) {
      const [again, before] = [await codeOf(), await grants()]
      const answers = await Promise.all([1, 2, 3].map(() => program.exchange(form(again))))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await grants()).toBe(before)
    }
  })

  it("keep their request over a sign-in on the way", async () => {
    const { location } = await program.open(asked({ state: "s".repeat(400) }))
    const { pathname, search } = new URL(location ?? "", program.url)
    const visitor = await world.signedIn("ann")
    const answer = await visitor.signIn(
      world.gateway.url,
      "ann",
      `/sign-in?${new URLSearchParams({ return_to: pathname + search })}`
    )
    expect(answer.headers.get("location")).toBe(location)
  })
})
