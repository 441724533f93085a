import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { kindOf } from "../../src/people/signIn/reach.ts"
import type { Operation } from "../../src/people/signIn/reach.ts"
import { roles as table } from "../../src/contract/callers/roles.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { furnish } from "./furnish.ts"
import { samplesOf } from "./operations.ts"
import type { Sample, Things } from "./operations.ts"

const operatorKey = "operator-key-0123456789abcdef"
const keyOf = (name: string) => `${name}-key-0123456789abcdefghij`

/** Roles of keys: whom each reaches. */
const roles = [
  { name: "auditor", role: "auditor" },
  { name: "auditor-of-mine", role: "auditor", accounts: ["mine"] },
  { name: "manager", role: "manager", accounts: ["mine"] },
  { name: "metrics", role: "metrics" }
] as const

const file = JSON.stringify({
  admin_keys: [
    ...roles.map((role) => ({ ...role, secret: keyOf(role.name) })),
    { name: "manager-of-many", role: "manager", accounts: ["mine", "m*"], secret: keyOf("manager-of-many") },
    { name: "gone", role: "operator", expires_at: "2026-01-31", secret: keyOf("gone") }
  ],
  models: { priced: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 1, output: 2 } } }
})

const names = Object.keys(kindOf) as ReadonlyArray<Operation>

describeOnEach("roles", () => {
  let gateway: GatewayHere
  let mine: Things
  let theirs: Things

  const send = async (key: string, { body, method, path }: Omit<Sample, "kind">, headers = {}) => {
    const signal = AbortSignal.timeout(20_000)
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const isStream = (answer.headers.get("content-type") ?? "").startsWith("text/event-stream")
    if (isStream) await answer.body?.cancel()
    return { status: answer.status, text: isStream ? "" : await answer.text() }
  }
  const ask = async (key: string, sample: Omit<Sample, "kind">) => {
    const { status, text } = await send(key, sample)
    expect([status, text]).toEqual([200, text])
    return JSON.parse(text)
  }

  const accountWithThings = async (account: string): Promise<Things> => {
    await ask(operatorKey, { method: "POST", path: "/admin/v1/accounts", body: { id: account } })
    const made = await ask(operatorKey, {
      method: "POST",
      path: "/admin/v1/keys",
      body: { account, name: "worker", budgets: [{ usd: 5, per: "day" }] }
    })
    return furnish(ask, operatorKey, made)
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-roles-"))
    writeFileSync(join(folder, "gateway.yaml"), file)
    const env = {
      GATEWAY_ADMIN_KEY: operatorKey,
      GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8",
      ...(await gatewayEnv("roles"))
    }
    gateway = await startGateway({ folder, env })
    mine = await accountWithThings("mine")
    theirs = await accountWithThings("theirs")
  })
  afterAll(() => gateway.dispose())

  /** What a role of `accounts: ["mine"]` gets of an operation. */
  const isWithin = async (key: string, name: Operation) => {
    const own: Sample = samplesOf(mine)[name]
    const other: Sample = samplesOf(theirs)[name]
    if (own.kind === "one" || own.kind === "made") {
      expect([name, (await send(key, other)).status]).toEqual([name, 404])
    }
    const { status, text } = await send(key, own)
    // A task that has ended can't be cancelled, a waiting delivery not sent again: neither is refused for its account.
    expect([name, [200, 409].includes(status)]).toEqual([name, true])
    for (const strange of [theirs.account, theirs.key, theirs.task, theirs.request]) expect(text).not.toContain(strange)
    if (own.kind === "list") expect(text).toContain(own.path.includes("accounts") ? '"mine"' : mine.account)
  }

  describe.each(roles)("$name", ({ name: role, ...rest }) => {
    it.each(names)(`reaches as far as the table says: %s`, async (name) => {
      const key = keyOf(role)
      // An auditor of some accounts reads what their manager reads.
      const isNarrowed = rest.role === "auditor" && "accounts" in rest && table.auditor.reach[kindOf[name]] === "all"
      const reach = table[isNarrowed ? "manager" : rest.role].reach[kindOf[name]]
      if (reach === "none") {
        const refused = await send(key, samplesOf(mine)[name])
        expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("does not reach this operation")])
      } else if (reach === "accounts") await isWithin(key, name)
      else {
        // Configurations are kept in Postgres alone, where none was applied.
        const { status } = await send(key, samplesOf(theirs)[name])
        expect([200, 404]).toContain(status)
        if (name.startsWith("adminConfigurations")) return
        expect(status).toBe(200)
      }
    })
  })

  it("are named in the audit log, with the way in", async () => {
    const made = await ask(keyOf("manager"), samplesOf(mine)["adminKeys.create"])
    const { data } = await ask(operatorKey, { method: "GET", path: `/admin/v1/audit?target=${made.key.id}` })
    expect(data[0]).toMatchObject({ actor: "manager", via: "manager", action: "key.create" })
    const byName = await ask(operatorKey, { method: "GET", path: "/admin/v1/audit?actor=manager" })
    expect(byName.data.map(({ actor }: { readonly actor: string }) => actor)).toContain("manager")
  })

  it("end with their key's time, and know only the accounts that they name", async () => {
    const list = samplesOf(mine)["adminKeys.list"]
    expect((await send(keyOf("gone"), list)).status).toBe(401)
    const many = keyOf("manager-of-many")
    const unnamed = await send(many, list)
    expect([unnamed.status, unnamed.text]).toEqual([400, expect.stringContaining("x-gateway-account")])
    expect((await send(many, list, { "x-gateway-account": "mine" })).status).toBe(200)
    expect((await send(many, list, { "x-gateway-account": "theirs" })).status).toBe(403)
    expect((await send(many, { ...list, path: `${list.path}?account=theirs` })).status).toBe(404)
  })

  it("are not told whether a secret is another account's", async () => {
    const body = { account: "theirs", name: "hidden" }
    const { secret } = await ask(operatorKey, { method: "POST", path: "/admin/v1/keys", body })
    const find = (key: string) => ask(key, { method: "POST", path: "/admin/v1/keys/find", body: { secret } })
    expect(await find(operatorKey)).toMatchObject({ match: "secret", data: [{ name: "hidden" }] })
    expect(await find(keyOf("manager"))).toEqual({ object: "found_keys", match: "hint", data: [] })
  })

  it("change nothing that only an operator sets", async () => {
    const key = samplesOf(mine)["adminKeys.create"]
    const refused = await send(keyOf("manager"), { ...key, body: { ...key.body, unpriced: "allow" } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("only an operator")])
  })
})
