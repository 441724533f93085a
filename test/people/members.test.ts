import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { reaches } from "../../src/console/reach.ts"
import type { Operation } from "../../src/console/reach.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { watch } from "../feed/watch.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { furnish } from "./furnish.ts"
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

/** Ids of nothing. */
const nothing: Things = {
  account: "none",
  key: "key_none",
  task: "cgt-none",
  request: "req_none",
  delivery: "dlv_none",
  entry: "999999"
}
/** An error without the id that was asked for. */
const sameIds = (text: string) => text.replaceAll(/key_\w+|cgt-[\w-]+|req_\w+|dlv_\w+|entry \d+/g, "…")

const names = Object.keys(reaches) as ReadonlyArray<Operation>

describeOnEach("members", () => {
  let gateway: GatewayProcess
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

  // The last: it revokes their keys.
  describe("reach by their session what the table says", () => {
    it.each(names)("%s", async (name) => {
      const own: Sample = samplesOf(cyd.things)[name]
      const reach = reaches[name].member
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
          expect([name, status, sameIds(text)]).toEqual([name, 404, sameIds(missing.text)])
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
})
