import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import type { Visitor } from "../visitor.ts"
import { codeProgram } from "./codeProgram.ts"
import { startWorld } from "./world.ts"

const loopback = "http://localhost/callback"

describeOnEach("attacks on sign-ins by a code", (engine) => {
  let world: Awaited<ReturnType<typeof startWorld>>
  let program: ReturnType<typeof codeProgram>
  let ann: Visitor
  let client: string

  beforeAll(async () => {
    world = await startWorld(engine, "code-attacks")
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

  it("get nothing for a code of another program, address or challenge, and a stranger does not use it up", async () => {
    const code = await codeOf()
    const other = (await program.register([loopback], { client_name: "Other" })).body.client_id
    for (const [change, error] of [
      [{ client_id: other }, "invalid_grant"],
      [{ client_id: "made-up" }, "invalid_client"],
      [{ redirect_uri: "http://localhost:4712/callback" }, "invalid_grant"],
      [{ redirect_uri: "https://web.test/cb?a=1" }, "invalid_grant"],
      [{ code_verifier: "another-verifier-".padEnd(43, "0") }, "invalid_grant"],
      [{ code_verifier: program.challenge }, "invalid_grant"],
      [{ code_verifier: "" }, "invalid_request"],
      [{ code: client }, "invalid_grant"],
      [{ code: `${code}A` }, "invalid_grant"],
      [{ code: code.slice(0, -2) }, "invalid_grant"],
      [{ resource: "https://elsewhere.test/mcp" }, "invalid_target"],
      [{ resource: `${program.url}/v1` }, "invalid_target"],
      [{ resource: `${program.url}/mcp/../v1` }, "invalid_target"]
    ] as const) {
      expect(await program.exchange({ ...form(code), ...change }), JSON.stringify(change)).toMatchObject({
        body: { error }
      })
    }
    const request = program.requestIn((await program.open(asked())).location)
    expect((await program.exchange(form(request))).body.error).toBe("invalid_grant")
    const tokens = await program.exchange({ ...form(code), resource: `${program.url}/mcp/sandbox-tools` })
    expect(tokens.status).toBe(200)
    const { access_token, refresh_token } = tokens.body
    // None of them stands for another.
    for (const wrong of [access_token, refresh_token]) {
      expect((await program.exchange(form(wrong))).body.error).toBe("invalid_grant")
    }
    const elsewhere = { grant_type: "refresh_token", refresh_token, resource: "https://elsewhere.test/mcp" }
    expect((await program.token(elsewhere)).body.error).toBe("invalid_target")
  })

  it("get nothing for a refresh token without its program's id, and end nothing; with it, one that comes late does", async () => {
    const { body } = await program.exchange(form(await codeOf()))
    const refresh = (refresh_token: string, more: Readonly<Record<string, string>> = { client_id: client }) =>
      program.token({ grant_type: "refresh_token", refresh_token, ...more })
    // The same name and addresses, registered again, are another program.
    const twin = (await program.register([loopback, "https://web.test/cb?a=1"])).body.client_id
    const strange = [{}, { client_id: "" }, { client_id: twin }, { client_id: "made-up" }] as const
    const refused = {
      status: 401,
      body: { error: "invalid_grant", error_description: expect.stringMatching(/^client_id/) }
    }
    for (const more of strange)
      expect(await refresh(body.refresh_token, more), JSON.stringify(more)).toMatchObject(refused)
    const next = (await refresh(body.refresh_token)).body
    // Its successors are bound too.
    for (const more of strange) expect(await refresh(next.refresh_token, more)).toMatchObject(refused)
    expect((await refresh(next.refresh_token)).status).toBe(200)
    await world.run("UPDATE person_tokens SET replaced_at = replaced_at - 60000 WHERE replaced_at IS NOT NULL")
    for (const more of strange) expect(await refresh(body.refresh_token, more)).toMatchObject(refused)
    expect((await program.mcp(next.access_token)).status).toBe(200)
    expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant")
    await expect.poll(async () => (await program.mcp(next.access_token)).status).toBe(401)
    // Programs of the device flow have no id: what they send is ignored.
    const device = await world.letIn("ann")
    expect((await refresh(device.refresh_token, { client_id: "claude" })).status).toBe(200)
  })

  it("open no redirect elsewhere without a click, and a page where they ask wrongly", async () => {
    const web = "https://web.test/cb?a=1"
    for (const [changes, error] of [
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ response_mode: "fragment" }, "invalid_request"],
      [{ code_challenge: null }, "invalid_request"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge_method: null }, "invalid_request"],
      [{ resource: "https://elsewhere.test/mcp" }, "invalid_target"]
    ] as const) {
      const shown = await program.open(asked({ ...changes, redirect_uri: web }))
      expect([shown.status, shown.location]).toEqual([400, null])
      const back = new URL((await program.open(asked(changes))).location ?? "")
      expect(back.origin).toBe("http://localhost:4711")
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: "state-1", iss: program.url })
    }
    for (const changes of [
      { client_id: null },
      { client_id: "made-up" },
      { client_id: `${client.slice(0, -3)}AAA` },
      { redirect_uri: null },
      { redirect_uri: "https://evil.test/cb" },
      { redirect_uri: "https://web.test/cb?a=1&b=2" },
      { redirect_uri: "https://web.test/CB?a=1" },
      { redirect_uri: "http://web.test/cb?a=1" },
      { redirect_uri: "http://localhost:4711/other" },
      { redirect_uri: "http://localhost:4711/callback?x=1" },
      { redirect_uri: "http://127.0.0.1:4711/callback" },
      { redirect_uri: "http://localhost:4711@evil.test/callback" },
      { state: "a\r\nset-cookie: b=c" },
      { state: "x".repeat(5_000) }
    ]) {
      const shown = await program.open(asked(changes))
      expect([shown.status, shown.location], JSON.stringify(changes)).toEqual([400, null])
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer"
      })
      expect(shown.headers.get("set-cookie")).toBeNull()
    }
    const twice = await program.open(`${asked({ redirect_uri: web })}&redirect_uri=https://evil.test/cb`)
    expect([twice.status, twice.location]).toEqual([400, null])
    const named = (await program.register([loopback], { client_name: "<script>alert(1)</script>" })).body.client_id
    expect((await program.open(asked({ client_id: named, redirect_uri: "x" }))).page).not.toContain("<script")
  })

  it("are decided by the person of the session alone, who sees them in no frame", async () => {
    const request = program.requestIn((await program.open(asked())).location)
    const send = (headers: Record<string, string>, what = "decide") =>
      ann.send(`${program.url}/console/authorizations/${what}`, {
        method: "POST",
        headers,
        body: JSON.stringify({ request, approve: true, account: "default" })
      })
    const { csrf } = await ann.session(program.url)
    expect((await send({})).status).toBe(403)
    expect((await send({ "x-gateway-csrf": "x" })).status).toBe(403)
    expect((await send({ "x-gateway-csrf": csrf, origin: "https://evil.test" })).status).toBe(403)
    expect((await send({ "x-gateway-csrf": csrf, "sec-fetch-site": "cross-site" })).status).toBe(403)
    const stranger = await fetch(`${program.url}/console/authorizations/decide`, {
      method: "POST",
      body: JSON.stringify({ request, approve: true, account: "default" })
    })
    expect(stranger.status).toBe(401)
    const framed = await program.open(asked(), { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" })
    expect([framed.status, framed.location]).toEqual([400, null])
    const page = await fetch(`${program.url}/console/consent?request=${request}`)
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    const bob = await world.signedIn("bob")
    expect((await program.say(bob, "decide", { request, approve: true, account: "default" })).status).toBe(404)
    expect((await program.say(bob, "decide", { request, approve: true })).status).toBe(400)
    for (const wrong of [client, "x", `${request}x`, await codeOf()]) {
      expect((await program.say(ann, "find", { request: wrong })).status).toBe(404)
      expect((await program.say(ann, "decide", { request: wrong, approve: true, account: "default" })).status).toBe(404)
    }
  })
})
