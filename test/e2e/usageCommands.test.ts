import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import { laterMeasuresIn, rowOf } from "../../src/contract/records/measures.ts"
import type { UsageRecord } from "../../src/ledger/UsageRecord.ts"
import { request } from "../request.ts"
import type { Made } from "./commandTypes.ts"
import { rows } from "./commandOutput.ts"
import type { Balance } from "./commandOutput.ts"

type Signing = { readonly secrets: ReadonlyArray<string> }

const config = `models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`

const later = laterMeasuresIn("usage_days")

let folder: string
let gateway: GatewayHere

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-commands-"))
  writeFileSync(join(folder, "gateway.yaml"), config)
  gateway = await startGateway({ folder })
})

afterAll(() => gateway.dispose())

const run = (...args: ReadonlyArray<string>) => runCommand(folder, args)

/** A command that must work; its output. */
const ok = async (...args: ReadonlyArray<string>) => {
  const result = await run(...args)
  expect([result.code, result.err]).toEqual([0, ""])
  return result
}

const ask = (key: string, model = "priced") =>
  request(gateway, "/v1/messages", { body: { model, max_tokens: 20, messages: "Hello!" }, key })

const get = async <A>(path: string, key = gateway.key): Promise<A> =>
  (await (await request(gateway, path, { key })).json()) as A

const makeKey = async (account: string, ...options: ReadonlyArray<string>): Promise<{ id: string; secret: string }> => {
  const { key, secret } = (await ok("keys", "create", "k", "--account", account, "--json", ...options)).json<Made>()
  return { id: key.id, secret }
}

describe("gateway usage", () => {
  it("says what was used, as a table, CSV and JSON, the same as the account's own report", async () => {
    await ok("accounts", "create", "users", "--balance", "5")
    const { id, secret } = await makeKey("users")
    for (let i = 0; i < 3; i++) expect((await ask(secret)).status).toBe(200)
    const by = async (what: string) =>
      (await ok("usage", "--by", what, "--account", "users", "--since", "1d", "--json")).json<UsageRecord>()
    const report = await by("key")
    expect(report).toMatchObject({ by: "key", totals: { requests: 3 }, next: null, data: [{ group: id, name: "k" }] })
    const { available, settled } = await get<Balance>("/v1/balance", secret)
    expect(report.totals.cost).toEqual(settled)
    expect(available?.nano_usd).toBe(5_000_000_000 - settled.nano_usd)
    const own = await get<UsageRecord>("/v1/usage?by=key&since=1d", secret)
    const { above_hold, upstream_cost, ...charged } = report.totals
    expect(upstream_cost).toEqual(settled)
    expect(above_hold?.nano_usd).toBe(0)
    expect(own.totals).toEqual(charged)
    expect(report.data).toMatchObject(own.data)
    expect((await by("request")).data).toHaveLength(3)
    expect((await by("model")).data).toMatchObject([{ group: "priced" }])
    const day = new Date().toISOString().slice(0, 10)
    const counted = [
      3,
      report.totals.input_tokens,
      0,
      0,
      report.totals.output_tokens,
      0,
      0,
      0,
      settled.usd,
      settled.usd,
      "0.00",
      ...later.map(() => 0)
    ]
    const { out } = await ok("usage", "--account", "users", "--csv")
    expect(out).toBe(
      `day,requests,input,cache_read,cache_write,output,reasoning,searches,video_seconds,usd,upstream_usd,above_hold_usd,${later.join()}\r\n` +
        `${day},${counted.join(",")}\n`
    )
    const shown = [
      ...counted.slice(0, -3 - later.length).map(String),
      `$${settled.usd}`,
      `$${settled.usd}`,
      "$0.00",
      ...later.map(() => "0")
    ]
    expect(rows((await ok("usage", "--account", "users")).out)).toEqual([
      [
        "DAY",
        "REQUESTS",
        "INPUT",
        "CACHE READ",
        "CACHE WRITE",
        "OUTPUT",
        "REASONING",
        "SEARCHES",
        "VIDEO SECONDS",
        "USD",
        "UPSTREAM USD",
        "ABOVE HOLD USD",
        ...later.map((measure) => rowOf(measure).heading)
      ],
      [day, ...shown],
      ["total", ...shown]
    ])
  })
})

describe("gateway overview", () => {
  it("says what groups came to, as a table, CSV and JSON, and names what does not go together", async () => {
    await ok("accounts", "create", "seen", "--balance", "5")
    const { secret } = await makeKey("seen")
    for (let i = 0; i < 2; i++) expect((await ask(secret)).status).toBe(200)
    const { settled } = await get<Balance>("/v1/balance", secret)
    const of = ["overview", "--by", "account,model", "--account", "seen"]
    await expect
      .poll(async () =>
        rows((await ok(...of)).out)
          .find(([account]) => account === "seen")
          ?.slice(0, 3)
      )
      .toEqual(["seen", "priced", "2"])
    const { json } = await ok(...of, "--json")
    expect(json()).toMatchObject({
      by: "account,model",
      data: [{ group: "seen", second: "priced", requests: 2, errors: 0, cost_usd: settled.nano_usd / 1e9 }],
      total: { requests: 2 }
    })
    const [head, row] = (await ok(...of, "--csv")).out.split("\r\n")
    expect(head).toMatch(/^account,model,requests,errors,/)
    expect(row).toMatch(/^seen,priced,2,0,/)
    const wrong = await run(...of, "--csv", "--json")
    expect(wrong.code).not.toBe(0)
    expect(wrong.err).toContain("--csv: expected neither --json nor --on beside it")
    expect((await run("overview", "--by", "colour")).err).toContain("--by: expected")
  })
})

describe("usage in two dimensions, by tag and as CSV", () => {
  it("agrees with the balance, marks what comes from request rows, and starts no formula", async () => {
    await ok("accounts", "create", "split", "--balance", "5")
    const made = (await ok("keys", "create", '=cmd|" /C calc"!A0', "--account", "split", "--json")).json<Made>()
    const tagged = (tags: string, user: string) =>
      request(gateway, "/v1/messages", {
        body: { model: "priced", max_tokens: 20, messages: "Hello!", metadata: { user_id: user } },
        key: made.secret,
        headers: { "x-gateway-tags": tags }
      })
    for (const [tags, user] of [
      ["team=a, @risk", "ada"],
      ["team=a,team=a", "ada"],
      ["", "+1 234"]
    ] as const) {
      expect((await tagged(tags, user)).status).toBe(200)
    }
    const { settled } = await get<Balance>("/v1/balance", made.secret)
    const path = (query: string) => `/v1/usage?since=today&${query}`
    const sumOf = ({ data }: UsageRecord) => data.reduce((sum, { cost }) => sum + cost.nano_usd, 0)
    for (const by of ["key,model", "upstream,day", "account,upstream", "day,key"]) {
      const report = await get<UsageRecord>(path(`by=${by}`), made.secret)
      expect([by, report.from, sumOf(report), report.totals.cost.nano_usd]).toEqual([
        by,
        "ledger",
        settled.nano_usd,
        settled.nano_usd
      ])
    }
    expect(await get<UsageRecord>(path("by=upstream,key"), made.secret)).toMatchObject({
      data: [{ group: "sandbox", second: made.key.id, name: made.key.name, requests: 3 }]
    })
    const byTag = () => get<UsageRecord>(path("by=tag"), made.secret)
    await expect.poll(async () => (await byTag()).totals.requests).toBe(3)
    const tags = await byTag()
    expect([tags.from, tags.totals.cost.nano_usd]).toEqual(["request rows", settled.nano_usd])
    expect(tags.data.map((row) => ("group" in row ? [row.group, row.requests] : []))).toEqual([
      ["team=a", 2],
      ["", 1],
      ["@risk", 1]
    ])
    const users = await get<UsageRecord>(path("by=end_user"), made.secret)
    expect(users.data.map((row) => ("group" in row ? row.group : ""))).toEqual(["ada", "+1 234"])
    expect((await get<UsageRecord>("/v1/usage?since=yesterday&until=yesterday", made.secret)).totals.requests).toBe(0)

    const asked = await request(gateway, path("by=tag"), { key: made.secret, headers: { accept: "text/csv" } })
    expect(asked.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect((await asked.text()).split("\r\n").map((line) => line.split(",")[0])).toEqual([
      "tag",
      "team=a",
      "",
      "'@risk",
      ""
    ])
    const named = await request(gateway, path("by=key,day&format=csv"), { key: made.secret })
    expect(await named.text()).toContain(`${made.key.id},"'=cmd|"" /C calc""!A0",`)
    const limited = await request(gateway, path("by=tag&format=csv&limit=1"), { key: made.secret })
    expect([limited.headers.get("x-gateway-next"), (await limited.text()).split("\r\n").length]).toEqual(["1", 3])
    const { out } = await ok("usage", "--by", "account", "--account", "split", "--csv")
    expect(out).toMatch(/^account,requests,.*\r\nsplit,3,/)
    expect((await run("usage", "--by", "day,tag")).err).toContain("--by: expected one of day, model, key")
    const refused = await request(gateway, path("by=day,day"), { key: made.secret })
    expect([refused.status, (await refused.text()).includes("by: expected")]).toEqual([400, true])
  })
})

describe("gateway tasks", () => {
  const create = async (prompt: string): Promise<string> => {
    const response = await request(gateway, "/api/v3/contents/generations/tasks", {
      body: { model: "sandbox-video", resolution: "480p", content: [{ type: "text", text: prompt }] }
    })
    return ((await response.json()) as { id: string }).id
  }

  it("lists them, shows where one stands, and cancels it through the server", async () => {
    const id = await create("a cat [[sandbox: queue=60s]]")
    const listed = await ok("tasks", "list", "--kind", "video")
    expect(rows(listed.out)[0]).toEqual([
      "ID",
      "KIND",
      "ACCOUNT",
      "MODEL",
      "STATE",
      "UPSTREAM",
      "CREATED",
      "ENDED",
      "CALLBACK",
      "ERROR"
    ])
    expect(rows(listed.out)[1]?.slice(0, 5)).toEqual([id, "video", "default", "sandbox-video", "queued"])
    expect((await ok("tasks", "show", id)).out).toContain("state        queued\n")
    const cancelled = await ok("tasks", "cancel", id)
    expect(cancelled.out).toBe(`Cancelled ${id}.\n`)
    expect((await get<{ status: string }>(`/api/v3/contents/generations/tasks/${id}`)).status).toBe("cancelled")
    const again = await run("tasks", "cancel", id)
    expect([again.code, again.err]).toEqual([4, `gateway: ${id} has ended already: cancelled\n`])
    const list = (...args: ReadonlyArray<string>) => ok("tasks", "list", "--json", ...args)
    expect((await list("--state", "cancelled", "--account", "default")).json()).toMatchObject([{ id }])
    expect((await list("--state", "queued", "--state", "running")).json()).toEqual([])
    expect((await list("--account", "nobody")).json()).toEqual([])
  })
})

describe("gateway webhooks", () => {
  it("shows the secret that signs, and rotates it with two valid meanwhile", async () => {
    const before = (await ok("webhooks", "secret", "default", "--json")).json<Signing>()
    expect(before.secrets).toEqual([expect.stringMatching(/^whsec_/)])
    const { out } = await ok("webhooks", "rotate", "default")
    const after = (await ok("webhooks", "secret", "default", "--json")).json<Signing>()
    expect(after.secrets).toEqual([expect.stringMatching(/^whsec_/), before.secrets[0]])
    expect(out).toContain(after.secrets[0])
  })
})

describe("gateway audit", () => {
  it("has every change, by whom, and no secret", async () => {
    await ok("accounts", "create", "watched")
    const { id, secret } = await makeKey("watched")
    await ok("keys", "update", id, "--name", "other")
    await ok("keys", "revoke", id)
    const entries = (await ok("audit", "list", "--target", id, "--json")).json<ReadonlyArray<AuditRecord>>()
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ["key.revoke", "cli:operator"],
      ["key.update", "cli:operator"],
      ["key.create", "cli:operator"]
    ])
    expect(entries[1]).toMatchObject({ before: { name: "k" }, after: { name: "other" } })
    const { out } = await ok("audit", "list", "--limit", "1000", "--json")
    expect(out).not.toContain(secret)
    expect(out).not.toContain("whsec_")
    const [number = "", ...cells] = rows((await ok("audit", "list", "--target", id)).out)[2] ?? []
    expect(cells.slice(1)).toEqual(["cli:operator", "key.update", "other", id, "watched", "name k → other"])
    expect((await ok("audit", "show", number)).out).toMatch(
      new RegExp(`^${number}  .{16}  cli:operator  key.update  other \\(${id}, account watched\\)\n  name k → other\n$`)
    )
    expect((await ok("audit", "list", "--account", "watched", "--action", "key", "--changes")).out).toContain(
      "  name k → other\n"
    )
  })
})
