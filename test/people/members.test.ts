import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MemberRecord } from "../../src/admin/MemberRecord.ts"
import { kindOf } from "../../src/people/signIn/reach.ts"
import type { Operation } from "../../src/people/signIn/reach.ts"
import { roles as table } from "../../src/contract/callers/roles.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { watch } from "../feed/watch.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { furnish, nothing, withoutIds } from "./furnish.ts"
import { samplesOf } from "./operations.ts"
import type { Sample, Things } from "./operations.ts"
import { startProvider } from "./startProvider.ts"
import { Visitor } from "./visitor.ts"

const operatorKey = "operator-key-0123456789abcdef"
const roles = `    - { group: member-*, role: member, accounts: ["{group}"] }
`
const routes = `routes: [{ upstream: sandbox, model: sandbox-text }]`
const more = `models:
  priced: { ${routes}, price: { input: 1, output: 2 } }
${["cyd", "cyd-too", "dan", "eve"].map((name) => `  of-${name}: { ${routes} }\n`).join("")}`
type Asked = Omit<Sample, "kind">

/** A person with a key of their own, and what was done with it. */
interface Member {
  readonly visitor: Visitor
  readonly csrf: string
  readonly secret: string
  readonly things: Things
}

const names = Object.keys(kindOf) as ReadonlyArray<Operation>

describeOnEach("members", () => {
  let gateway: GatewayHere
  let provider: Awaited<ReturnType<typeof startProvider>>
  /** Cyd and Dan share an account, which has a key of its own, too; Eve is of another one. */
  let cyd: Member
  let dan: Member
  let eve: Member
  let shared: Things

  const ask = async (key: string, { body, method, path }: Asked) => {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    expect([answer.status, text]).toEqual([200, text])
    return JSON.parse(text)
  }
  const send = async ({ csrf, visitor }: Member, { body, method, path }: Asked, headers = {}) => {
    const answer = await visitor.send(gateway.url + path, {
      method,
      headers: { "x-gateway-csrf": csrf, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const isStream = (answer.headers.get("content-type") ?? "").startsWith("text/event-stream")
    if (isStream) await answer.body?.cancel()
    return { status: answer.status, text: isStream ? "" : await answer.text() }
  }

  const signedIn = async (name: string, account: string): Promise<Member> => {
    await fetch(`${provider.issuer}/-/group?name=${name}&group=${account}`)
    const visitor = new Visitor()
    await visitor.signIn(gateway.url, name)
    const { csrf } = await visitor.session(gateway.url)
    const made = await visitor.send(`${gateway.url}/admin/v1/keys`, {
      method: "POST",
      headers: { "x-gateway-csrf": csrf },
      body: JSON.stringify({ account, name: `of ${name}` })
    })
    const key = await made.json()
    expect(made.status).toBe(200)
    return { visitor, csrf, secret: key.secret, things: await furnish(ask, operatorKey, key) }
  }

  beforeAll(async () => {
    provider = await startProvider({ roles, more })
    const env = {
      ...(await gatewayEnv("members")),
      ...provider.env,
      GATEWAY_ADMIN_KEY: operatorKey,
      GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8"
    }
    gateway = await startGateway({ folder: provider.folder, env })
    for (const id of ["member-a", "member-b"]) {
      await ask(operatorKey, { method: "POST", path: "/admin/v1/accounts", body: { id } })
    }
    const body = { account: "member-a", name: "shared" }
    shared = await furnish(ask, operatorKey, await ask(operatorKey, { method: "POST", path: "/admin/v1/keys", body }))
    cyd = await signedIn("cyd", "member-a")
    dan = await signedIn("dan", "member-a")
    eve = await signedIn("eve", "member-b")
  })
  afterAll(async () => {
    await gateway.dispose()
    await provider.stop()
  })

  /** Fails if a text tells anything of another: cyd may know the name of the shared account alone. */
  const tellsNothingOfOthers = (text: string) => {
    for (const { delivery, key, request, task } of [dan.things, eve.things, shared]) {
      for (const id of [key, task, request, delivery]) expect(text).not.toContain(id)
    }
    for (const strange of ["member-b", "of dan", "dan@", "of eve", "eve@"]) expect(text).not.toContain(strange)
  }

  it("are listed with their account", async () => {
    const path = "/admin/v1/accounts/member-a/members"
    const ann = new Visitor()
    await ann.signIn(gateway.url, "ann")
    const { data } = await ask(operatorKey, { method: "GET", path })
    expect(data.map(({ keys, name, role }: MemberRecord) => [name, role, keys])).toEqual([
      ["ann@corp.test", "operator", 0],
      ["cyd@corp.test", "member", 1],
      ["dan@corp.test", "member", 1]
    ])
    for (const { confirmed_at, last_seen_at } of data) {
      expect(last_seen_at >= confirmed_at).toBe(true)
      expect(Date.now() - Date.parse(confirmed_at)).toBeLessThan(600_000)
    }
    /** Uses are written a moment later. */
    const steady = ({ last_seen_at: _last, ...same }: MemberRecord) => same
    const all = data.map(steady)
    const page = await ask(operatorKey, { method: "GET", path: `${path}?limit=2` })
    const rest = await ask(operatorKey, { method: "GET", path: `${path}?limit=2&after=${page.next}` })
    expect([page.data.map(steady), rest.data.map(steady)]).toEqual([all.slice(0, 2), all.slice(2)])
    // A command tells the same, there and from elsewhere.
    const remote = { GATEWAY_URL: gateway.url, GATEWAY_ADMIN_KEY: operatorKey }
    const run = (args: string, env: Record<string, string>) =>
      runCommand(provider.folder, `accounts members member-a ${args}`.split(" "), env)
    for (const env of [remote, await gatewayEnv("members")]) {
      expect((await run("--json", env)).json<ReadonlyArray<MemberRecord>>().map(steady)).toEqual(all)
    }
    const headers = { authorization: `Bearer ${operatorKey}`, accept: "text/csv" }
    const csv = await (await fetch(gateway.url + path, { headers })).text()
    for (const text of [csv, (await run("--csv", remote)).out]) {
      const [head, ...lines] = text.trimEnd().split("\r\n")
      expect(head).toBe("person,name,role,keys,last_seen_at,confirmed_at")
      expect(lines.map((line) => line.split(",").slice(1, 4))).toEqual([
        ["ann@corp.test", "operator", "0"],
        ["cyd@corp.test", "member", "1"],
        ["dan@corp.test", "member", "1"]
      ])
    }
  })

  it("count what was done with their keys alone", async () => {
    const get = async (path: string) => {
      const { status, text } = await send(cyd, { method: "GET", path })
      expect([status, text]).toEqual([200, text])
      tellsNothingOfOthers(text)
      return JSON.parse(text)
    }
    const one = { total: { requests: 1 } }
    expect((await get("/admin/v1/requests?model=priced")).data).toHaveLength(1)
    expect(await get("/admin/v1/requests/histogram?model=priced")).toMatchObject(one)
    expect(await get("/admin/v1/overview/groups?by=key&model=priced")).toMatchObject({ ...one, count: 1 })
    expect(await get("/admin/v1/overview/cost?on=priced")).toMatchObject(one)
    expect(await get("/admin/v1/overview?by=key")).toMatchObject({
      total: { cost_usd: 0.000019 },
      groups: [{ name: cyd.things.key }]
    })
    expect(await get("/admin/v1/usage?by=key&model=priced")).toMatchObject({
      totals: { requests: 1 },
      data: [{ group: cyd.things.key }]
    })
    // Filters reach no further.
    expect((await get(`/admin/v1/requests?key=${dan.things.key}`)).data).toEqual([])
    expect((await get("/admin/v1/requests?search=dan")).data).toEqual([])
    expect((await send(cyd, { method: "GET", path: "/admin/v1/requests?account=member-b" })).status).toBe(404)
    const inAnother = { "x-gateway-account": "member-b" }
    expect((await send(cyd, { method: "GET", path: "/admin/v1/requests" }, inAnother)).status).toBe(403)
  })

  it("watch what is done with their keys alone", async () => {
    const all = await watch(gateway.url, "/admin/v1/events", { authorization: `Bearer ${operatorKey}` })
    const own = await watch(gateway.url, "/admin/v1/events", { cookie: cyd.visitor.cookieHeader(gateway.url) })
    const call = (secret: string, model: string) =>
      ask(secret, {
        method: "POST",
        path: "/v1/messages",
        body: { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
      })
    const modelsOf = ({ requests }: typeof all) => requests().map(({ model }) => model)
    await call(dan.secret, "of-dan")
    await call(eve.secret, "of-eve")
    await call(cyd.secret, "of-cyd")
    await expect.poll(() => modelsOf(all)).toEqual(["of-dan", "of-eve", "of-cyd"])
    await expect.poll(() => modelsOf(own)).toEqual(["of-cyd"])
    // A new key is watched, too: the reader is told to read again.
    const made = await send(cyd, samplesOf(cyd.things)["adminKeys.create"])
    await expect.poll(() => own.events.map(({ event }) => event)).toContain("missed")
    await call(JSON.parse(made.text).secret, "of-cyd-too")
    await expect.poll(() => modelsOf(own)).toEqual(["of-cyd", "of-cyd-too"])
    tellsNothingOfOthers(JSON.stringify(own.events))
    for (const stream of [all, own]) stream.stop()
  })

  it("see by their own key what was done with their keys alone", async () => {
    const get = async (path: string) => {
      const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${cyd.secret}` } })
      return { status: answer.status, text: await answer.text() }
    }
    const lists = [
      "requests",
      "requests/export",
      "tasks",
      "videos",
      "overview?by=key",
      "usage?by=key",
      "overview/groups?by=key"
    ]
    const drawn = "/api/v3/contents/generations/tasks"
    for (const path of [...lists.map((one) => `/v1/${one}`), drawn]) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      tellsNothingOfOthers(text)
      expect([path, text]).toEqual([
        path,
        expect.stringMatching(`${cyd.things.key}|${cyd.things.task}|${cyd.things.request}`)
      ])
    }
    expect(JSON.parse((await get("/v1/requests/histogram?model=priced")).text)).toMatchObject({
      total: { requests: 1 }
    })
    const byId = ({ request, task }: Things) => [
      `/v1/requests/${request}`,
      `${drawn}/${task}`,
      `${drawn}/${task}/deliveries`,
      `/v1/videos/${task}`,
      `/v1/videos/${task}/content`
    ]
    for (const path of byId(cyd.things).slice(0, 4)) expect([path, (await get(path)).status]).toEqual([path, 200])
    for (const things of [dan.things, shared, eve.things]) {
      for (const path of byId(things)) expect([path, (await get(path)).status]).toEqual([path, 404])
    }
    // Idempotency keys are each person's own.
    const post = async (path: string, body: object, secret = cyd.secret, headers = {}) => {
      const answer = await fetch(gateway.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    }
    const asked = { model: "priced", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
    const repeated = { "idempotency-key": "1" }
    const first = await post("/v1/messages", asked, dan.secret, repeated)
    const again = await post("/v1/messages", asked, dan.secret, repeated)
    const mine = await post("/v1/messages", asked, cyd.secret, repeated)
    expect([first.status, again.status, mine.status]).toEqual([200, 200, 200])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(mine.headers.get("idempotent-replayed")).not.toBe("true")
  })

  // This revokes their keys.
  describe("reach by their session what the table says", () => {
    it.each(names)("%s", async (name) => {
      const own: Sample = samplesOf(cyd.things)[name]
      const reach = table.member.reach[kindOf[name]]
      if (reach === "none") {
        for (const things of [cyd.things, eve.things]) {
          const { status, text } = await send(cyd, samplesOf(things)[name])
          expect([status, text]).toEqual([
            403,
            expect.stringContaining("The role member does not reach this operation")
          ])
        }
        return
      }
      if (own.kind === "one") {
        const missing = await send(cyd, samplesOf(nothing)[name])
        for (const strange of [dan.things, shared, eve.things]) {
          const { status, text } = await send(cyd, samplesOf(strange)[name])
          expect([name, status, withoutIds(text)]).toEqual([name, 404, withoutIds(missing.text)])
        }
      }
      if (own.kind === "made") expect((await send(cyd, samplesOf(eve.things)[name])).status).toBe(404)
      const { status, text } = await send(cyd, own)
      // A task that has ended can't be cancelled, a revoked key not be changed.
      expect([name, [200, 409].includes(status)]).toEqual([name, true])
      tellsNothingOfOthers(text)
      if (own.kind === "list") expect(text).toContain(cyd.things.key)
    })
  })

  it("neither cancel nor remove what others of their account did", async () => {
    const answer = await fetch(`${gateway.url}/api/v3/contents/generations/tasks/${cyd.things.task}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${dan.secret}` }
    })
    expect(answer.status).toBe(404)
  })
})
