import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import { laterBy } from "./laterBy.ts"
import { statementsOn } from "./statementsOn.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { watch } from "../feed/watch.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startProvider } from "./startProvider.ts"
import { Visitor } from "./visitor.ts"

const minute = 60_000

describeOnEach("people of a provider", (engine) => {
  let gateway: GatewayProcess
  let provider: Awaited<ReturnType<typeof startProvider>>
  let issuer = ""
  let database = ""
  let env: Record<string, string>

  beforeAll(async () => {
    provider = await startProvider()
    issuer = provider.issuer
    env = { ...(await gatewayEnv("people")), ...provider.env }
    database = env["GATEWAY_DATABASE_URL"] ?? join(provider.folder, "data/gateway.db")
    gateway = await startGateway({ folder: provider.folder, env })
  })
  afterAll(async () => {
    await gateway.dispose()
    await provider.stop()
  })

  const run = (...statements: ReadonlyArray<string>) => statementsOn(engine, database, statements)

  const later = laterBy(run)
  const tell = (path: string) => fetch(`${issuer}/-/${path}`)
  /** A key of the account `default`, made by an operator. */
  const newKey = async (name: string) => {
    const ann = new Visitor()
    await ann.signIn(gateway.url, "ann")
    const made = await ann.send(`${gateway.url}/admin/v1/keys`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await ann.session(gateway.url)).csrf },
      body: JSON.stringify({ account: "default", name })
    })
    const { key, secret } = await made.json()
    return { ann, id: String(key.id), secret: String(secret) }
  }
  const status = async (visitor: Visitor, path: string) => (await visitor.send(gateway.url + path)).status

  it("come in by the link of their provider, with the role of their groups", async () => {
    const ann = new Visitor()
    expect((await ann.session(gateway.url)).sign_in).toEqual([
      { name: new URL(issuer).host, url: `/sign-in?issuer=${encodeURIComponent(issuer)}` }
    ])
    const answer = await ann.signIn(gateway.url, "ann", "/sign-in?return_to=%2Fconsole%2Fkeys%3Fq%3D1")
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console/keys?q=1"])
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^gateway_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/
    )
    expect(await ann.session(gateway.url)).toMatchObject({ name: "ann@corp.test", role: "operator", accounts: null })
    expect(await status(ann, "/admin/v1/nodes")).toBe(200)
    const bob = new Visitor()
    await bob.signIn(gateway.url, "bob")
    expect(await bob.session(gateway.url)).toMatchObject({ role: "manager", accounts: ["team-a", "team-b"] })
    expect(await status(bob, "/admin/v1/nodes")).toBe(403)
    const audit = await (await ann.send(`${gateway.url}/admin/v1/audit?action=session.open`)).json()
    expect(audit.data.map(({ actor }: { actor: string }) => actor)).toEqual(["bob@corp.test", "ann@corp.test"])
    const [tokens] = await run(`SELECT refresh_token, id_token FROM provider_tokens`)
    expect(String(tokens?.["id_token"])).not.toContain("eyJ")
  })

  it("act as the keys of their accounts alone", async () => {
    const { ann, id } = await newKey("of another account")
    const bob = new Visitor()
    await bob.signIn(gateway.url, "bob")
    const as = { headers: { "x-gateway-key-id": id } }
    expect((await ann.send(`${gateway.url}/v1/account`, as)).status).toBe(200)
    expect((await bob.send(`${gateway.url}/v1/account`, as)).status).toBe(401)
    // Requests carry the name of a key's person: no other person makes some with it.
    const asks = { model: "sandbox-text", input: "Hi" }
    const spends = async (visitor: Visitor) => {
      const { csrf } = await visitor.session(gateway.url)
      const headers = { ...as.headers, "x-gateway-csrf": csrf, "content-type": "application/json" }
      const answer = await visitor.send(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers,
        body: JSON.stringify(asks)
      })
      return answer.status
    }
    expect(await spends(ann)).toBe(200)
    await run(`UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'bob') WHERE id = '${id}'`)
    expect(await spends(ann)).toBe(403)
    expect((await ann.send(`${gateway.url}/v1/account`, as)).status).toBe(200)
    await run(`UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'ann') WHERE id = '${id}'`)
    expect(await spends(ann)).toBe(200)
    await run(`UPDATE keys SET person_id = NULL, hash = 'ann at login.corp.test' WHERE id = '${id}'`)
    expect(await spends(ann)).toBe(403)
  })

  it("are named in the list of sessions, with the role of now", async () => {
    const [ann, bob] = [new Visitor(), new Visitor()]
    await ann.signIn(gateway.url, "ann")
    await bob.signIn(gateway.url, "bob")
    const { data } = await (await ann.send(`${gateway.url}/admin/v1/sessions`)).json()
    const named = data.slice(0, 2).map(({ name, role }: Record<string, unknown>) => [name, role])
    expect(named).toEqual([
      ["bob@corp.test", "manager"],
      ["ann@corp.test", "operator"]
    ])
    const { out } = await runCommand(provider.folder, ["sessions", "list"], env)
    expect(out).toMatch(/bob@corp\.test +manager/)
  })

  it("are refused where no group of theirs has a role, which the log tells with the groups", async () => {
    const eve = new Visitor()
    const answer = await eve.signIn(gateway.url, "eve")
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("knows none of your groups")])
    expect((await eve.session(gateway.url)).signed_in).toBe(false)
    expect(gateway.output()).toMatch(/"event":"sign_in.refused".*"email":"eve@corp.test"/)
  })

  it("get another role when their provider says so", async () => {
    await tell("group?name=cyd&group=platform")
    const cyd = new Visitor()
    await cyd.signIn(gateway.url, "cyd")
    expect(await status(cyd, "/admin/v1/nodes")).toBe(200)
    const { id } = await newKey("cyd's")
    await run(`UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'cyd') WHERE id = '${id}'`)
    // What they watch ends with the role that they had.
    const live = await watch(gateway.url, "/admin/v1/events", { cookie: cyd.cookieHeader(gateway.url) })
    await tell("group?name=cyd&group=team-c")
    await later(5 * minute)
    await live.ended
    expect(await status(cyd, "/admin/v1/nodes")).toBe(403)
    expect(await run(`SELECT id FROM keys WHERE id = '${id}' AND revoked_at IS NULL`)).toHaveLength(0)
    expect(await cyd.session(gateway.url)).toMatchObject({ role: "manager", accounts: ["team-c"] })
    await tell("group?name=cyd&group=nothing")
    await later(5 * minute)
    expect((await cyd.session(gateway.url)).signed_in).toBe(false)
  })

  it("are out within five minutes of being removed, with every session and key of theirs", async () => {
    await tell("group?name=dan&group=platform")
    const [dan, danToo] = [new Visitor(), new Visitor()]
    for (const visitor of [dan, danToo]) await visitor.signIn(gateway.url, "dan")
    const { ann, id, secret } = await newKey("dan's")
    await run(`UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'dan') WHERE id = '${id}'`)
    const byKey = () => fetch(`${gateway.url}/v1/account`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await byKey()).status).toBe(200)
    await tell("remove?name=dan")
    await later(5 * minute)
    expect((await dan.session(gateway.url)).signed_in).toBe(false)
    expect((await danToo.session(gateway.url)).signed_in).toBe(false)
    expect((await byKey()).status).toBe(401)
    expect((await ann.session(gateway.url)).signed_in).toBe(true)
    const audit = await (await ann.send(`${gateway.url}/admin/v1/audit?action=person.end`)).json()
    expect(audit.data[0]).toMatchObject({
      actor: "dan@corp.test",
      after: { reason: "the provider ended the sign-in", sessions: 2, keys: [id] }
    })
    // Their keys wait for them, as their accounts' managers set them.
    await tell("restore?name=dan")
    await dan.signIn(gateway.url, "dan")
    await expect.poll(async () => (await byKey()).status).toBe(200)
    await tell("group?name=dan&group=team-c")
    await danToo.signIn(gateway.url, "dan")
    await expect.poll(async () => (await byKey()).status).toBe(401)
  })

  it("are found by the daemon where only their key is in use", async () => {
    await tell("group?name=fay&group=platform")
    const fay = new Visitor()
    await fay.signIn(gateway.url, "fay")
    const { id, secret } = await newKey("fay's")
    await run(
      `UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'fay'), last_used_at = ${Date.now()}
        WHERE id = '${id}'`
    )
    await tell("remove?name=fay")
    await later(5 * minute)
    await expect
      .poll(async () => (await run(`SELECT ended_at FROM people WHERE subject = 'fay'`))[0]?.["ended_at"], {
        timeout: 30_000
      })
      .not.toBeNull()
    const byKey = () => fetch(`${gateway.url}/v1/account`, { headers: { authorization: `Bearer ${secret}` } })
    await expect.poll(async () => (await byKey()).status).toBe(401)
  })

  it("are signed out by their provider's own sign-out", async () => {
    const bob = new Visitor()
    await bob.signIn(gateway.url, "bob")
    const { csrf } = await bob.session(gateway.url)
    const out = await bob.send(`${gateway.url}/console/session`, {
      method: "DELETE",
      headers: { "x-gateway-csrf": csrf }
    })
    expect((await out.json()).provider_sign_out).toContain(`${issuer}/session/end?`)
  })

  it("work on for an hour while their provider is away, and nobody comes in; their keys stop with sign_in", async () => {
    const { ann, id, secret } = await newKey("ann's")
    await run(`UPDATE keys SET person_id = (SELECT id FROM people WHERE subject = 'ann') WHERE id = '${id}'`)
    await provider.stop()
    await later(5 * minute)
    expect(await status(ann, "/admin/v1/nodes")).toBe(200)
    await later(54 * minute)
    expect(await status(ann, "/admin/v1/nodes")).toBe(200)
    await later(6 * minute)
    expect(await status(ann, "/admin/v1/nodes")).toBe(503)
    expect((await ann.session(gateway.url)).signed_in).toBe(true)
    const byKey = async (key: string) =>
      (await fetch(`${gateway.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await byKey(gateway.key)).toBe(200)
    await expect.poll(() => byKey(secret)).toBe(503)
    const begun = new Visitor()
    await begun.send(`${gateway.url}/sign-in`)
    const [cookie] = begun.cookies(gateway.url)
    expect(cookie?.[0]).toBe("gateway_sign_in")
    expect(gateway.output()).toMatch(/"event":"sign_in.provider_failed"/)

    // Without `sign_in` no provider can be asked: the keys of people stop, those of accounts go on.
    gateway.signal("SIGTERM")
    await gateway.exited
    writeFileSync(join(provider.folder, "gateway.yaml"), "{}")
    gateway = await startGateway({ folder: provider.folder, env })
    await expect.poll(() => byKey(secret)).toBe(401)
    expect(await byKey(gateway.key)).toBe(200)
  })
})
