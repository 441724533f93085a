import { FetchHttpClient, HttpApi, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll } from "vitest"
import { AdminApi } from "../../src/admin/Api.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

let gateway: GatewayProcess
let closed: GatewayProcess
beforeAll(async () => {
  const first = startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
  closed = await startGateway()
  gateway = await first
})
afterAll(() => Promise.all([gateway.dispose(), closed.dispose()]))

const endpoints: Array<readonly [name: string, method: string, path: string]> = []
HttpApi.reflect(AdminApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) =>
    endpoints.push([`${endpoint.method} ${endpoint.path}`, endpoint.method, endpoint.path.replace(":id", "unknown")])
})

/** The typed client, with the operator's key. */
const client = Effect.suspend(() =>
  HttpApiClient.make(AdminApi, {
    baseUrl: gateway.url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(adminKey))
  })
)
const live = Layer.mergeAll(FetchHttpClient.layer)

const send = (url: string, method: string, path: string, headers: Record<string, string>, body?: string) =>
  fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })

const ask = (key: string) =>
  send(
    gateway.url,
    "POST",
    "/v1/messages",
    { authorization: `Bearer ${key}` },
    '{"model":"sandbox-text","max_tokens":9,"messages":"Hi"}'
  )

const becomes = async (status: number, key: string) => {
  const begun = performance.now()
  while ((await ask(key)).status !== status) {
    expect(performance.now() - begun).toBeLessThan(1_000)
    await Bun.sleep(20)
  }
}

describe("the admin API's keys", () => {
  it.each(endpoints)("%s is not there without GATEWAY_ADMIN_KEY", async (_, method, path) => {
    const absent = await send(closed.url, method, path, { authorization: `Bearer ${adminKey}` })
    const nowhere = await send(closed.url, method, "/nowhere", {})
    expect([absent.status, nowhere.status]).toEqual([404, 404])
    const text = await absent.text()
    expect(JSON.parse(text)).toEqual({
      error: {
        code: "invalid_request_error",
        message: `Invalid URL (${method} ${path})`,
        param: null,
        type: "invalid_request_error"
      }
    })
    expect(JSON.parse((await nowhere.text()).replace("/nowhere", path))).toEqual(JSON.parse(text))
  })

  it.each(endpoints)("%s opens to the operator's key alone", async (_, method, path) => {
    const refused = async (headers: Record<string, string>, message: string) => {
      const response = await send(gateway.url, method, path, headers, method === "GET" ? undefined : "{")
      expect([response.status, await response.json()]).toEqual([
        401,
        {
          error: {
            code: "auth_invalid",
            message: expect.stringContaining(message),
            param: null,
            type: "authentication_error"
          }
        }
      ])
    }
    await refused({}, "Missing Authorization header")
    await refused({ authorization: adminKey }, "Malformed Authorization header")
    await refused({ authorization: `Bearer ${adminKey} x` }, "Malformed Authorization header")
    await refused({ authorization: `Bearer ${gateway.key}` }, "does not open the admin API")
    await refused({ authorization: `Bearer ${adminKey.slice(0, -1)}` }, "does not open the admin API")
    await refused({ "x-api-key": gateway.key }, "does not open the admin API")
    const body = method === "GET" ? undefined : "{}"
    const opened = await send(gateway.url, method, path, { authorization: `Bearer ${adminKey}` }, body)
    expect([200, 400, 404]).toContain(opened.status)
  })

  it("opens nothing that callers have", async () => {
    expect((await ask(adminKey)).status).toBe(401)
    for (const path of ["/admin", "/admin/v1", "/admin/v1/nothing", "/admin/v2/keys"]) {
      const response = await send(gateway.url, "GET", path, {})
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { error: { code: "invalid_request_error" } }
      ])
    }
  })

  it("has a document and a page of its own, where it is on", async () => {
    const document = (await (await fetch(`${gateway.url}/admin/openapi.json`)).json()) as {
      paths: Record<string, unknown>
    }
    expect(Object.keys(document.paths).every((path) => path.startsWith("/admin/v1/"))).toBe(true)
    expect(Object.keys(document.paths)).toHaveLength(new Set(endpoints.map(([, , path]) => path)).size)
    const callers = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, unknown> }
    expect(Object.keys(callers.paths).some((path) => path.startsWith("/admin"))).toBe(false)
    expect((await fetch(`${gateway.url}/admin/docs`)).status).toBe(200)
    expect((await fetch(`${closed.url}/admin/openapi.json`)).status).toBe(404)
    expect((await fetch(`${closed.url}/admin/docs`)).status).toBe(404)
  })

  it("stops the start where it is short", async () => {
    await expect(startGateway({ env: { GATEWAY_ADMIN_KEY: "short" } })).rejects.toThrow(
      "GATEWAY_ADMIN_KEY: expected 24 characters or more"
    )
  })
})

describe("the admin API", () => {
  it.live("makes, changes, lists and revokes keys", () =>
    Effect.gen(function* () {
      const api = yield* client
      yield* api.adminAccounts.create({ payload: { id: "keys", balance_usd: "12.5" } })
      const made = yield* api.adminKeys.create({
        payload: { account: "keys", name: "ci", models: ["sandbox-*"], budget: { usd: 0.000001, period: "day" } }
      })
      expect(made.key.budget).toMatchObject({ period: "day", limit: { nano_usd: 1_000 } })
      yield* Effect.promise(() => becomes(200, made.secret))
      const path = { id: made.key.id }
      const updated = yield* api.adminKeys.update({
        path,
        payload: { name: "other", budget: null, limits: { requests_per_minute: 1 }, expires_at: "2099-01-01T00:00:00Z" }
      })
      expect(updated).toMatchObject({
        name: "other",
        models: ["sandbox-*"],
        budget: null,
        limits: { requests_per_minute: 1 },
        expires_at: "2099-01-01T00:00:00.000Z"
      })
      yield* Effect.promise(() => becomes(429, made.secret))
      yield* api.adminKeys.update({ path, payload: { limits: null } })
      yield* Effect.promise(() => becomes(200, made.secret))
      const rotated = yield* api.adminKeys.rotateSecret({ path })
      yield* Effect.promise(() => becomes(401, made.secret))
      yield* Effect.promise(() => becomes(200, rotated.secret))
      expect((yield* api.adminKeys.revoke({ path })).status).toBe("revoked")
      yield* Effect.promise(() => becomes(401, rotated.secret))
      const list = (all: "true" | "false") => api.adminKeys.list({ urlParams: { account: "keys", all } })
      expect((yield* list("false")).data).toEqual([])
      expect((yield* list("true")).data).toEqual([yield* api.adminKeys.show({ path })])
    }).pipe(Effect.provide(live))
  )

  it.live("gives and takes money, and tells what was given", () =>
    Effect.gen(function* () {
      const api = yield* client
      const path = { id: "money" }
      const made = yield* api.adminAccounts.create({ payload: { id: "money", limits: { concurrent_tasks: 2 } } })
      expect(made).toMatchObject({ metered: false, available: null, limits: { concurrent_tasks: 2 } })
      yield* api.adminAccounts.credit({ path, payload: { usd: "0.000000001", note: "the least" } })
      const after = yield* api.adminAccounts.credit({ path, payload: { usd: 3 } })
      expect(after.available).toEqual({ nano_usd: 3_000_000_001, usd: "3.000000001" })
      expect((yield* api.adminAccounts.credit({ path, payload: { usd: "-1" } })).available?.usd).toBe("2.000000001")
      const grants = yield* api.adminAccounts.grants({ path, urlParams: {} })
      expect(grants.data.map(({ amount, note }) => [amount.usd, note])).toEqual([
        ["-1.00", ""],
        ["3.00", ""],
        ["0.000000001", "the least"]
      ])
      expect((yield* api.adminAccounts.update({ path, payload: { unmetered: true } })).granted).toBeNull()
      expect((yield* api.adminAccounts.list({ urlParams: { limit: 1_000 } })).data.map(({ id }) => id)).toContain(
        "money"
      )
    }).pipe(Effect.provide(live))
  )

  it.live("lists in pages that have every row once", () =>
    Effect.gen(function* () {
      const api = yield* client
      yield* Effect.forEach([1, 2, 3, 4, 5], (n) => api.adminAccounts.create({ payload: { id: `page-${n}` } }))
      const seen: Array<string> = []
      let after: string | undefined
      do {
        const urlParams: { limit: number; after?: string } = { limit: 2, ...(after === undefined ? {} : { after }) }
        const page = yield* api.adminAccounts.list({ urlParams })
        expect(page.data.length).toBeLessThanOrEqual(2)
        seen.push(...page.data.map(({ id }) => id))
        after = page.next ?? undefined
      } while (after !== undefined)
      expect(seen).toEqual([...new Set(seen)].sort())
      expect(seen.filter((id) => id.startsWith("page-"))).toHaveLength(5)
      const newest = yield* api.adminOperations.audit({ urlParams: { action: "account.create", limit: 2 } })
      const older = yield* api.adminOperations.audit({
        urlParams: { action: "account.create", limit: 2, after: newest.next ?? "" }
      })
      expect([...newest.data, ...older.data].map(({ target }) => target)).toEqual([
        "page-5",
        "page-4",
        "page-3",
        "page-2"
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("lists and cancels tasks, and says what can't be", () =>
    Effect.gen(function* () {
      const api = yield* client
      const tasks = "/api/v3/contents/generations/tasks"
      const body = JSON.stringify({
        model: "sandbox-video",
        content: [{ type: "text", text: "a cat [[sandbox: queue=60s]]" }]
      })
      const created = yield* Effect.promise(async () => {
        const response = await send(gateway.url, "POST", tasks, { authorization: `Bearer ${gateway.key}` }, body)
        return (await response.json()) as { id: string }
      })
      const path = { id: created.id }
      const listed = yield* api.adminOperations.listTasks({
        urlParams: { state: ["queued", "running"], kind: "video" }
      })
      expect(listed.data.map(({ id }) => id)).toEqual([created.id])
      expect((yield* api.adminOperations.cancelTask({ path })).state).toBe("cancelled")
      expect((yield* api.adminOperations.showTask({ path })).state).toBe("cancelled")
      const again = yield* Effect.flip(api.adminOperations.cancelTask({ path }))
      expect([again._tag, "message" in again && again.message]).toEqual([
        "Conflict",
        `${created.id} has ended already: cancelled`
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("reports usage, rotates webhook secrets, and keeps an audit log without secrets", () =>
    Effect.gen(function* () {
      const api = yield* client
      const path = { id: "audited" }
      yield* api.adminAccounts.create({ payload: { id: "audited", search_blocked: ["example.com"] } })
      const { key, secret } = yield* api.adminKeys.create({ payload: { account: "audited", name: "k" } })
      yield* Effect.promise(() => becomes(200, secret))
      // What costs nothing is written a moment later.
      const usage = yield* api.adminOperations
        .usage({ urlParams: { account: "audited", by: "key" } })
        .pipe(Effect.repeat({ until: ({ totals }) => totals.requests === 1, times: 100 }))
      expect(usage).toMatchObject({ totals: { requests: 1 }, data: [{ group: key.id, name: "k" }] })
      const before = yield* api.adminAccounts.webhookSecrets({ path })
      const after = yield* api.adminAccounts.rotateWebhookSecret({ path })
      expect(after.secrets.slice(1)).toEqual(before.secrets)
      yield* api.adminAccounts.update({ path, payload: { search_blocked: null } })
      const audit = yield* api.adminOperations.audit({ urlParams: { target: "audited" } })
      expect(audit.data.map(({ action, actor }) => [action, actor])).toEqual([
        ["account.update", "admin-key"],
        ["webhooks.rotate", "admin-key"],
        ["account.create", "admin-key"]
      ])
      const all = JSON.stringify(yield* api.adminOperations.audit({ urlParams: { limit: 1_000 } }))
      for (const planted of [secret, adminKey, ...after.secrets]) expect(all).not.toContain(planted)
    }).pipe(Effect.provide(live))
  )

  it.live("says what is wrong", () =>
    Effect.gen(function* () {
      const api = yield* client
      const wrong = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), (error) => [error._tag, "message" in error ? error.message : ""])
      expect(yield* wrong(api.adminKeys.show({ path: { id: "key_no" } }))).toEqual(["NotFound", 'no key "key_no"'])
      expect(yield* wrong(api.adminKeys.create({ payload: { account: "nobody", name: "k" } }))).toEqual([
        "NotFound",
        'no account "nobody"; it must be created first'
      ])
      expect(yield* wrong(api.adminAccounts.create({ payload: { id: "default" } }))).toEqual([
        "Conflict",
        'there is an account "default" already'
      ])
      const raw = (path: string, body: string) =>
        Effect.promise(async () => {
          const response = await send(gateway.url, "POST", path, { authorization: `Bearer ${adminKey}` }, body)
          return ((await response.json()) as { error: { message: string; param: string } }).error
        })
      expect(yield* raw("/admin/v1/accounts", '{"id":"a b"}')).toMatchObject({ param: "id" })
      expect(yield* raw("/admin/v1/accounts/default/credit", '{"usd":"1.0000000001"}')).toMatchObject({
        message:
          'usd: expected an amount in dollars with at most nine decimals, such as 5 or "12.50"; got "1.0000000001"'
      })
      expect(
        yield* raw("/admin/v1/keys", '{"account":"default","name":"k","budget":{"usd":1,"period":"year"}}')
      ).toMatchObject({ param: "budget.period", message: 'budget.period: expected one of day, month; got "year"' })
      expect(
        yield* raw("/admin/v1/keys", '{"account":"default","name":"k","expires_at":"2020-01-01T00:00:00Z"}')
      ).toMatchObject({
        param: "expires_at"
      })
    }).pipe(Effect.provide(live))
  )
})
