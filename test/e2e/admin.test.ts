import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll } from "vitest"
import { AdminApi } from "../../src/admin/Api.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { adminKey, send } from "./adminClient.ts"

let gateway: GatewayProcess
let closed: GatewayProcess

/** The typed client, with the operator's key. */
const client = Effect.suspend(() =>
  HttpApiClient.make(AdminApi, {
    baseUrl: gateway.url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(adminKey))
  })
)

const live = Layer.mergeAll(FetchHttpClient.layer)

const ask = (key: string) =>
  send(
    gateway.url,
    "POST",
    "/v1/messages",
    { authorization: `Bearer ${key}` },
    '{"model":"sandbox-text","max_tokens":9,"messages":"Hi"}'
  )

/** Asks until the answer has the status; how soon that must be is a promise by the clock. */
const becomes = async (status: number, key: string) => {
  while ((await ask(key)).status !== status) await Bun.sleep(20)
}

describeOnEach("the admin API", ({ name: engine }) => {
  beforeAll(async () => {
    // A gateway behind a proxy on this machine: whom a request is from is what `X-Forwarded-For` says.
    const folder = mkdtempSync(join(tmpdir(), "gateway-e2e-"))
    writeFileSync(join(folder, "gateway.yaml"), 'server: { trusted_proxies: ["127.0.0.0/8", "::1"] }\n')
    const first = startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("open")) }, folder })
    closed = await startGateway({ env: await gatewayEnv("closed") })
    gateway = await first
  })

  afterAll(() => Promise.all([gateway.dispose(), closed.dispose()]))

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
          payload: {
            name: "other",
            budget: null,
            limits: { requests_per_minute: 1 },
            expires_at: "2099-01-01T00:00:00Z"
          }
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
        const rotated = yield* api.adminKeys.rotateSecret({ path, payload: {} })
        // In effect once it is answered, for a key that was used a moment ago too.
        const statusOf = (key: string) => Effect.promise(async () => (await ask(key)).status)
        expect(yield* statusOf(made.secret)).toBe(401)
        expect(yield* statusOf(rotated.secret)).toBe(200)
        const overlapping = yield* api.adminKeys.rotateSecret({ path, payload: { overlap_hours: 0.5 } })
        const halfAnHour = Date.parse(overlapping.key.old_secret_until ?? "") - Date.now()
        expect(halfAnHour).toBeGreaterThan(1_700_000)
        expect(halfAnHour).toBeLessThanOrEqual(1_800_000)
        expect(yield* statusOf(rotated.secret)).toBe(200)
        expect(yield* statusOf(overlapping.secret)).toBe(200)
        const used = Effect.map(api.adminOperations.listRequests({ urlParams: { key: made.key.id } }), ({ data }) =>
          data.slice(0, 3).map(({ key_secret }) => key_secret)
        )
        yield* Effect.repeat(used, { until: ([newest]) => newest === "new" })
        expect(yield* used).toEqual(["new", "old", undefined])
        const at = `/admin/v1/keys/${path.id}/rotate-secret`
        const rotate = (body?: string) =>
          Effect.promise(() => send(gateway.url, "POST", at, { authorization: `Bearer ${adminKey}` }, body))
        const long = yield* rotate('{"overlap_hours":721}')
        expect(long.status).toBe(400)
        expect(yield* Effect.promise(() => long.text())).toContain("expected a number of hours from 0 to 720; got 721")
        const empty = yield* rotate()
        expect(empty.status).toBe(200)
        expect(yield* statusOf(overlapping.secret)).toBe(401)
        expect((yield* api.adminKeys.revoke({ path })).status).toBe("revoked")
        expect(yield* statusOf(rotated.secret)).toBe(401)
        const list = (all: "true" | "false") => api.adminKeys.list({ urlParams: { account: "keys", all } })
        expect((yield* list("false")).data).toEqual([])
        // Its last request may still be on its way into the sums.
        const { usage: _, ...shown } = yield* api.adminKeys.show({ path })
        expect((yield* list("true")).data).toMatchObject([shown])
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

    it.live("lists who serves: with SQLite there is only one", () =>
      Effect.gen(function* () {
        const api = yield* client
        const { data, next } = yield* api.adminOperations.nodes({})
        expect(data.map(({ name }) => name.split(":").at(-1))).toEqual(
          engine === "postgres" ? [String(gateway.pid)] : []
        )
        expect(next).toBe(null)
      }).pipe(Effect.provide(live))
    )

    it.live("reports usage, rotates webhook secrets, and keeps an audit log without secrets", () =>
      Effect.gen(function* () {
        const api = yield* client
        const path = { id: "audited" }
        yield* api.adminAccounts.create({ payload: { id: "audited", search_blocked: ["example.com"] } })
        const { key, secret } = yield* api.adminKeys.create({ payload: { account: "audited", name: "k" } })
        yield* Effect.promise(() => becomes(200, secret))
        // Usage rows of free requests are written a moment later.
        const usage = yield* api.adminOperations
          .usage({ urlParams: { account: "audited", by: "key" } })
          .pipe(Effect.repeat({ until: ({ data, totals }) => totals.requests === 1 && data.length === 1, times: 100 }))
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
        yield* api.adminAccounts.create({ payload: { id: "indebted", balance_usd: 1e-7 } })
        const taken = () => raw("/admin/v1/accounts/indebted/credit", '{"usd":-8990519.2178697}')
        expect(yield* taken()).toBeUndefined()
        expect(yield* taken()).toMatchObject({ message: expect.stringContaining("total grants must be between") })
        expect(yield* raw("/admin/v1/accounts/indebted/credit", '{"usd":9999999}')).toMatchObject({
          message: expect.stringContaining("total grants must be between")
        })
        expect(
          yield* raw("/admin/v1/keys", '{"account":"default","name":"k","budget":{"usd":1,"period":"year"}}')
        ).toMatchObject({ param: "budget.period", message: 'budget.period: expected one of day, month; got "year"' })
        expect(
          yield* raw("/admin/v1/keys", '{"account":"default","name":"k","expires_at":"2020-01-01T00:00:00Z"}')
        ).toMatchObject({
          param: "expires_at"
        })
        // A misspelt field must not make a key for all models without a budget.
        for (const [field, body] of [
          ["modls", '{"account":"default","name":"k","modls":["claude-*"]}'],
          ["budget_usd", '{"account":"default","name":"k","budget_usd":5}'],
          ["limits.requests_per_day", '{"account":"default","name":"k","limits":{"requests_per_day":5}}']
        ] as const) {
          expect(yield* raw("/admin/v1/keys", body)).toMatchObject({
            param: field,
            message: `${field}: is not a known field`
          })
        }
        const listed = yield* Effect.promise(() =>
          send(gateway.url, "GET", "/admin/v1/keys?acount=default", { authorization: `Bearer ${adminKey}` })
        )
        expect([listed.status, yield* Effect.promise(() => listed.json())]).toMatchObject([
          400,
          { error: { param: "acount", message: "acount: is not a known field" } }
        ])
      }).pipe(Effect.provide(live))
    )
  })
})
