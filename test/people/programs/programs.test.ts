import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import type { Visitor } from "../visitor.ts"
import { deviceGrant, startWorld } from "./world.ts"
import type { Tokens } from "./world.ts"

const minute = 60_000
const hour = 60 * 60_000

describeOnEach("programs that sign in for people", (engine) => {
  let world: Awaited<ReturnType<typeof startWorld>>

  beforeAll(async () => {
    world = await startWorld(engine, "programs")
  })
  afterAll(() => world.stop())

  it("are told where to go, with nothing but what they need", async () => {
    const metadata = await (await fetch(`${world.gateway.url}/.well-known/oauth-authorization-server`)).json()
    const url = world.gateway.url.replace(/\/$/, "")
    expect(metadata).toMatchObject({
      issuer: url,
      device_authorization_endpoint: `${url}/oauth/device_authorization`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      grant_types_supported: ["authorization_code", deviceGrant, "refresh_token"]
    })
    const begun = await world.begin({ surface: "claude_code", unknown: "field" })
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
    const begun = await world.begin()
    expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "authorization_pending" } })
    expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "slow_down" } })
    const ann = await world.signedIn("ann")
    const shown = await (await world.find(ann, begun.user_code)).json()
    expect(shown).toMatchObject({ program: "claude_code", client: "claude-code/2.1.332", issues: "token" })
    expect((await world.decide(ann, begun.user_code, { approve: true, account: "default" })).status).toBe(200)
    const { body, headers, status: answered } = await world.poll(begun.device_code)
    expect([answered, headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gwt_\w{38}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^gwr_\w{38}$/),
      email: "ann@corp.test"
    })
    expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "expired_token" } })
    expect(await world.status(body.access_token)).toBe(200)
    // A refresh token opens nothing.
    expect(await world.status(body.refresh_token)).toBe(401)
    const stored = await world.run("SELECT hash FROM person_tokens")
    expect(stored.length).toBeGreaterThan(1)
    expect(JSON.stringify(stored)).not.toContain(body.access_token)
    const find = async (path: string): Promise<ReadonlyArray<unknown>> => {
      const { data } = await (await ann.send(world.gateway.url + path)).json()
      // Rows are written a moment after their answers.
      return data.length > 0 ? data : Bun.sleep(50).then(() => find(path))
    }
    const person = expect.stringMatching(/^person_/)
    const [row] = await find("/admin/v1/requests?family=messages")
    expect(row).toMatchObject({ person, person_name: "ann@corp.test", key_name: "ann@corp.test, signed in" })
    expect((await find("/admin/v1/usage?by=request"))[0]).toMatchObject({ person })
    expect(world.gateway.output()).toMatch(/"event":"request".*"person":"person_/)
    const audit = await (await ann.send(`${world.gateway.url}/admin/v1/audit?account=default&action=program`)).json()
    expect(audit.data[0]).toMatchObject({ actor: "ann@corp.test", action: "program.approve", target: "default" })
  })

  it("share one key of their person in an account, which has no secret to give away", async () => {
    const [one, other] = [await world.letIn("ann"), await world.letIn("ann")]
    expect([await world.status(one.access_token), await world.status(other.access_token)]).toEqual([200, 200])
    const keys = await world.run(
      `SELECT k.id, k.hash FROM keys k JOIN people p ON p.id = k.person_id WHERE p.subject = 'ann'`
    )
    expect(keys).toHaveLength(1)
    // The stored text is no secret's hash, and opens nothing itself.
    expect(await world.status(String(keys[0]?.["hash"]).replaceAll(" ", "-"))).toBe(401)
    const ann = await world.signedIn("ann")
    const rotated = await ann.send(`${world.gateway.url}/admin/v1/keys/${String(keys[0]?.["id"])}/rotate-secret`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await ann.session(world.gateway.url)).csrf }
    })
    expect(rotated.status).toBe(409)
  })

  it("are kept out by their person, by one who reaches no such account, and by a page of another site", async () => {
    const begun = await world.begin()
    const bob = await world.signedIn("bob")
    expect((await world.decide(bob, begun.user_code, { approve: true, account: "default" })).status).toBe(404)
    expect((await world.decide(bob, begun.user_code, { approve: true })).status).toBe(400)
    const asked = (what: string, body: object) => ({
      url: `${world.gateway.url}/console/devices/${what}`,
      init: { method: "POST", body: JSON.stringify({ code: begun.user_code, ...body }) }
    })
    const forged = asked("decide", { approve: true, account: "team-a" })
    expect((await bob.send(forged.url, forged.init)).status).toBe(403)
    const foreign = asked("find", {})
    expect((await fetch(foreign.url, foreign.init)).status).toBe(401)
    expect((await world.decide(bob, begun.user_code, { approve: false })).body).toMatchObject({ approved: false })
    expect((await world.decide(bob, begun.user_code, { approve: false })).status).toBe(404)
    expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } })
    expect(await world.poll("nothing")).toMatchObject({ status: 400, body: { error: "expired_token" } })
  })

  it("wait for their code where hundreds ask from one address, and get none for a page of another site", async () => {
    const ask = async (headers: Record<string, string> = {}) => {
      const answer = await fetch(`${world.gateway.url}/oauth/device_authorization`, {
        method: "POST",
        headers: { "x-forwarded-for": "203.0.113.77", ...headers },
        body: new URLSearchParams({ surface: "claude_code" })
      })
      return { status: answer.status, body: await answer.json() }
    }
    for (const header of [{ "sec-fetch-site": "cross-site" }, { origin: "https://elsewhere.test" }]) {
      expect(await ask(header)).toMatchObject({ status: 400, body: { error: "invalid_request" } })
    }
    // A new minute may begin meanwhile.
    let ms = 0
    for (let n = 0; n < 70 && ms < 500; n++) {
      const began = performance.now()
      const ten = await Promise.all(Array.from({ length: 10 }, () => ask()))
      expect(ten.map(({ status }) => status)).toEqual(Array(10).fill(200))
      ms = n < 30 ? 0 : performance.now() - began
    }
    expect(ms).toBeGreaterThanOrEqual(500)
  })

  it("are not found by guessing codes", async () => {
    const [ann, bob] = [await world.signedIn("ann"), await world.signedIn("bob")]
    const { user_code } = await world.begin()
    const guess = async () => expect((await world.find(bob, "BCDF-GHJK")).status).toBe(404)
    const answered: Array<string> = []
    const find = async (name: string, visitor: Visitor) => {
      expect((await world.find(visitor, user_code)).status).toBe(200)
      answered.push(name)
    }
    const five = (name: string, visitor: Visitor) => Array.from({ length: 5 }, () => find(name, visitor))
    const inOrder = [...Array(5).fill("ann"), ...Array(5).fill("bob")]
    // Who guesses waits, with the right code too, and another person does not. A new minute may begin meanwhile.
    for (let round = 0; round < 3 && answered.join() !== inOrder.join(); round++) {
      for (let n = 0; n < 4; n++) await Promise.all(Array.from({ length: 10 }, guess))
      answered.length = 0
      await Promise.all([...five("bob", bob), ...five("ann", ann)])
    }
    expect(answered).toEqual(inOrder)
  })

  it("refresh; a token that is sent several times at once is answered each time, and later ends the sign-in", async () => {
    const first = await world.letIn("ann")
    const answers = await Promise.all([1, 2, 3].map(() => world.refresh(first.refresh_token)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    // An access token is no refresh token.
    expect((await world.refresh(first.access_token)).status).toBe(401)
    const [next] = answers.map(({ body }): Tokens => body)
    // Each gets the same tokens: a copy of the first one begins no line of its own.
    const pairs = answers.map(({ body }) => [body.access_token, body.refresh_token])
    expect(new Set(pairs.flat()).size).toBe(2)
    for (const { body } of answers) {
      expect(await world.status(body.access_token)).toBe(200)
      expect([3599, 3600]).toContain(body.expires_in)
    }
    expect(await world.status(first.access_token)).toBe(200)
    await world.run(`UPDATE person_tokens SET replaced_at = replaced_at - ${minute}`)
    expect(await world.refresh(first.refresh_token)).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    expect(await world.refresh(next?.refresh_token ?? "")).toMatchObject({
      status: 401,
      body: { error: "invalid_grant" }
    })
    await expect.poll(() => world.status(next?.access_token ?? "")).toBe(401)
  })

  it("end where a copy of a refresh token was used, however soon: the program's own next one tells", async () => {
    const first = await world.letIn("ann")
    const own: Tokens = (await world.refresh(first.refresh_token)).body
    // A thief, seconds later.
    const stolen: Tokens = (await world.refresh(first.refresh_token)).body
    expect((await world.refresh(stolen.refresh_token)).status).toBe(200)
    await world.run(`UPDATE person_tokens SET replaced_at = replaced_at - ${minute}`)
    const later = await world.refresh(own.refresh_token)
    expect(later).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
    await expect.poll(() => world.status(stolen.access_token)).toBe(401)
  })

  it("are told to sign in again where a token is revoked, expired or unknown, at once", async () => {
    const one = await world.letIn("ann")
    expect(
      (await world.post("/oauth/revoke", { token: one.refresh_token, token_type_hint: "refresh_token" })).status
    ).toBe(200)
    expect((await world.post("/oauth/revoke", { token: "unknown" })).status).toBe(200)
    await expect.poll(() => world.status(one.access_token)).toBe(401)
    const answer = await world.messages(one.access_token)
    expect([answer.status, answer.headers.get("x-should-retry"), await answer.json()]).toEqual([
      401,
      "false",
      expect.objectContaining({
        error: { type: "authentication_error", message: "This sign-in at the gateway has ended: sign in again" }
      })
    ])
    expect((await world.refresh(one.refresh_token)).status).toBe(401)
    const other = await world.letIn("ann")
    await world.run(`UPDATE person_tokens SET expires_at = expires_at - ${hour} WHERE kind = 'access'`)
    expect(await world.status(other.access_token)).toBe(401)
    expect((await world.refresh(other.refresh_token)).status).toBe(200)
  })

  it("get a key of ninety days where they ask for one", async () => {
    const begun = await world.begin({ surface: "opencode", issues: "key" })
    const ann = await world.signedIn("ann")
    await world.decide(ann, begun.user_code, { approve: true, account: "default" })
    const { body } = await world.poll(begun.device_code)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gw_\w{38}$/),
      token_type: "Bearer",
      expires_in: 90 * 86_400,
      email: "ann@corp.test"
    })
    expect(await world.status(body.access_token)).toBe(200)
  })

  it("are out when their person is removed, and wait while the provider is away", async () => {
    const tell = (path: string) => fetch(`${world.provider.issuer}/-/${path}`)
    await tell("group?name=dan&group=platform")
    const dan = await world.letIn("dan")
    const later = (ms: number) =>
      world.run(
        `UPDATE people SET checked_at = checked_at - ${ms}`,
        `UPDATE provider_tokens SET tried_at = tried_at - ${ms}, failing_since = failing_since - ${ms}`,
        `UPDATE access_version SET version = version + 1`
      )
    expect(await world.status(dan.access_token)).toBe(200)
    await world.run("UPDATE provider_tokens SET failing_since = 1")
    const away = await world.refresh(dan.refresh_token)
    expect([away.status, away.body.error]).toEqual([503, "temporarily_unavailable"])
    await world.run("UPDATE provider_tokens SET failing_since = NULL")
    expect((await world.refresh(dan.refresh_token)).status).toBe(200)
    await tell("remove?name=dan")
    await later(5 * minute)
    expect((await world.refresh(dan.refresh_token)).status).toBe(401)
    await expect.poll(() => world.status(dan.access_token)).toBe(401)
    // They sign in again, and so do their programs.
    await tell("restore?name=dan")
    await world.signedIn("dan")
    expect((await world.refresh(dan.refresh_token)).status).toBe(401)
    expect(await world.status((await world.letIn("dan")).access_token)).toBe(200)
  })
})
