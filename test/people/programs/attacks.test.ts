import { connect } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../../sql/engines.ts"
import { deviceGrant, startWorld } from "./world.ts"

const minute = 60_000

describeOnEach("attacks on programs' sign-ins", (engine) => {
  let world: Awaited<ReturnType<typeof startWorld>>

  beforeAll(async () => {
    world = await startWorld(engine, "oauth-attacks")
    await world.run(
      ...["team-a", "team-b", "team-c"].map(
        (id) => `INSERT INTO accounts (id, created_at) VALUES ('${id}', 1) ON CONFLICT DO NOTHING`
      )
    )
  })
  afterAll(() => world.stop())

  const tell = (path: string) => fetch(`${world.provider.issuer}/-/${path}`)
  /** The provider is asked again by the next one who looks. */
  const later = () =>
    world.run(
      `UPDATE people SET checked_at = checked_at - ${5 * minute}`,
      `UPDATE provider_tokens SET tried_at = tried_at - ${5 * minute}`,
      `UPDATE access_version SET version = version + 1`
    )

  it("a code that was approved gives nothing to one who no longer reaches its account, or was removed", async () => {
    await tell("group?name=mo&group=team-a")
    const mo = await world.signedIn("mo")
    for (const issues of ["token", "key"]) {
      const begun = await world.begin({ issues })
      expect((await world.decide(mo, begun.user_code, { approve: true, account: "team-a" })).status).toBe(200)
      await tell("group?name=mo&group=team-b")
      await later()
      expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } })
      await tell("group?name=mo&group=team-a")
      await later()
      expect((await world.poll(begun.device_code)).status).toBe(200)
    }
    const begun = await world.begin()
    expect((await world.decide(mo, begun.user_code, { approve: true, account: "team-a" })).status).toBe(200)
    await tell("remove?name=mo")
    await later()
    expect(await world.poll(begun.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } })
  })

  it("of two who decide at once one is heard, and of two who ask at once one gets tokens", async () => {
    const [one, other] = [await world.signedIn("ann"), await world.signedIn("bob")]
    for (let round = 0; round < 5; round++) {
      const begun = await world.begin()
      const decided = await Promise.all([
        world.decide(one, begun.user_code, { approve: true, account: "default" }),
        world.decide(other, begun.user_code, { approve: false }),
        world.decide(one, begun.user_code, { approve: false })
      ])
      expect(decided.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404])
      const isApproved = decided[0]?.status === 200
      const polled = await Promise.all([1, 2, 3, 4].map(() => world.poll(begun.device_code)))
      expect(polled.filter(({ status }) => status === 200)).toHaveLength(isApproved ? 1 : 0)
    }
  })

  it("a sign-out beside a refresh leaves no token", async () => {
    for (let round = 0; round < 8; round++) {
      const { access_token, refresh_token } = await world.letIn("ann")
      const [, ...answers] = await Promise.all([
        world.post("/oauth/revoke", { token: access_token }),
        world.refresh(refresh_token),
        world.refresh(refresh_token)
      ])
      const left = answers.flatMap(({ body, status }) => (status === 200 ? [body] : []))
      for (const { refresh_token: next } of left) {
        expect(await world.refresh(next)).toMatchObject({ status: 401, body: { error: "invalid_grant" } })
      }
      await world.run(`UPDATE access_version SET version = version + 1`)
    }
  })

  // SQLite has one writer at a time.
  it.runIf(engine.name === "postgres")("a removal beside a refresh leaves no token", async () => {
    await tell("group?name=ned&group=platform")
    const { refresh_token } = await world.letIn("ned")
    const id = await world.keyOf("ned")
    await tell("remove?name=ned")
    await later()
    const { GATEWAY_DATABASE_URL: url } = await gatewayEnv("oauth-attacks")
    const sql = new Bun.SQL({ url, max: 1 })
    const refreshed = await sql.begin(async (under) => {
      // What a refresh does before it commits.
      await under`UPDATE person_tokens SET replaced_at = 1 WHERE key_id = ${id}`
      await under`INSERT INTO person_tokens (hash, sign_in, key_id, kind, expires_at, replaced_at)
        SELECT hash || '2', sign_in, key_id, kind, expires_at, NULL FROM person_tokens WHERE key_id = ${id}`
      const asked = world.refresh(refresh_token)
      const waiting = () =>
        world.run(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM person_tokens%'"
        )
      while ((await waiting()).length === 0) await Bun.sleep(10)
      return { asked }
    })
    await sql.close()
    expect((await refreshed.asked).status).toBe(401)
    expect(await world.run(`SELECT hash FROM person_tokens WHERE key_id = '${id}'`)).toHaveLength(0)
  })

  it("a program that asks too early has nothing written", async () => {
    const { device_code } = await world.begin()
    const polled = () => world.run("SELECT polled_at FROM device_grants ORDER BY expires_at DESC LIMIT 1")
    expect((await world.poll(device_code)).body.error).toBe("authorization_pending")
    const before = await polled()
    for (const _ of [1, 2, 3]) expect((await world.poll(device_code)).body.error).toBe("slow_down")
    expect(await polled()).toEqual(before)
  })

  it("forms are read for a while alone, and each field once", async () => {
    const sent = (body: string) =>
      fetch(`${world.gateway.url}/oauth/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body
      })
    const { access_token } = await world.letIn("ann")
    for (const [body, error] of [
      [`grant_type=${deviceGrant}&device_code=a&device_code=b`, "invalid_request"],
      [`grant_type=refresh_token&refresh_token=${access_token}&refresh_token=b`, "invalid_request"],
      [`grant_type=refresh_token&refresh_token=`, "invalid_request"],
      [JSON.stringify({ grant_type: "refresh_token", refresh_token: access_token }), "unsupported_grant_type"],
      [`grant_type=refresh_token&refresh_token=${"a".repeat(9_000)}`, "invalid_request"],
      [`grant_type=refresh_token&refresh_token=%00%ff%zz`, "invalid_grant"],
      ["", "unsupported_grant_type"]
    ] as const) {
      const answer = await sent(body)
      expect([answer.status, (await answer.json()).error]).toEqual([error === "invalid_grant" ? 401 : 400, error])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
    }
    // One byte a second keeps a connection from being idle.
    const { hostname, port } = new URL(world.gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write(`POST /oauth/token HTTP/1.1\r\nhost: gateway\r\ntransfer-encoding: chunked\r\n\r\n`)
    const drip = setInterval(() => socket.write("1\r\na\r\n"), 1_000)
    const began = Date.now()
    const answered = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))))
    clearInterval(drip)
    socket.destroy()
    expect(answered).toMatch(/^HTTP\/1.1 400/)
    expect(Date.now() - began).toBeLessThan(20_000)
  }, 40_000)

  it("a database that fails signs no program out, and tells nothing of itself", async () => {
    const { refresh_token } = await world.letIn("ann")
    await world.run("ALTER TABLE person_tokens RENAME TO person_tokens_away")
    const refreshed = await world.refresh(refresh_token)
    const revoked = await world.post("/oauth/revoke", { token: refresh_token })
    await world.run("ALTER TABLE person_tokens_away RENAME TO person_tokens")
    for (const { body, headers, status } of [refreshed, revoked]) {
      expect([status, body.error, headers.get("cache-control")]).toEqual([503, "temporarily_unavailable", "no-store"])
      expect(JSON.stringify(body)).not.toContain("person_tokens")
    }
    expect(world.gateway.output()).toContain("a page failed")
    expect((await world.refresh(refresh_token)).status).toBe(200)
  })

  it("a hostile host changes no address, and no page is framed", async () => {
    const headers = { host: "evil.test", "x-forwarded-host": "evil.test", "x-forwarded-for": "10.99.0.1" }
    const begun = await (
      await fetch(`${world.gateway.url}/oauth/device_authorization`, { method: "POST", headers })
    ).json()
    const metadata = await (
      await fetch(`${world.gateway.url}/.well-known/oauth-authorization-server`, { headers })
    ).text()
    expect(JSON.stringify(begun) + metadata).not.toContain("evil.test")
    for (const code of ["//evil.test", "https://evil.test", "BCDF-GHJK\r\nlocation:evil.test", "..%2f..%2fevil"]) {
      const answer = await fetch(`${world.gateway.url}/device?${new URLSearchParams({ user_code: code })}`, {
        headers,
        redirect: "manual"
      })
      expect(answer.headers.get("location")).toBe("/console/device")
    }
    const page = await fetch(`${world.gateway.url}/console/device?user_code=${begun.user_code}`)
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
  })

  it("codes and tokens stand in no log and no row", async () => {
    const begun = await world.begin({ surface: "a program" })
    const ann = await world.signedIn("ann")
    const inAddress = `user_code=${begun.user_code}`
    for (const path of [`/device?${inAddress}`, `/console/device?${inAddress}`])
      await ann.send(world.gateway.url + path)
    expect((await world.find(ann, begun.user_code)).status).toBe(200)
    expect((await world.find(ann, "BCDF-BCDF")).status).toBe(404)
    await world.decide(ann, begun.user_code, { approve: true, account: "default" })
    await world.decide(ann, begun.user_code, { approve: true, account: "default" })
    const { body } = await world.poll(begun.device_code)
    const next = (await world.refresh(body.refresh_token)).body
    expect(await world.status(next.access_token)).toBe(200)
    const secrets = [begun.device_code, body.access_token, body.refresh_token, next.access_token, next.refresh_token]
    const rows = JSON.stringify([
      await world.run("SELECT * FROM device_grants"),
      await world.run("SELECT * FROM person_tokens"),
      await world.run("SELECT * FROM audit"),
      await world.run("SELECT * FROM requests"),
      await world.run("SELECT * FROM keys")
    ])
    for (const secret of secrets) {
      expect(rows).not.toContain(secret)
      expect(world.gateway.output()).not.toContain(secret)
    }
    for (const text of [rows, world.gateway.output()]) {
      for (const code of [begun.user_code, "BCDF-BCDF"]) expect(text).not.toContain(code)
    }
  })
})
