import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

/** A folder without a database or settings. */
let empty: string
let gateway: GatewayHere
beforeAll(async () => {
  empty = mkdtempSync(join(tmpdir(), "gateway-elsewhere-"))
  gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  rmSync(empty, { recursive: true, force: true })
})

const run = (...args: ReadonlyArray<string>) =>
  runCommand(empty, args, { GATEWAY_URL: gateway.url, GATEWAY_ADMIN_KEY: adminKey })
const ok = async (...args: ReadonlyArray<string>) => {
  const result = await run(...args)
  expect([result.code, result.err]).toEqual([0, ""])
  return result
}
/** The output of the same command in the gateway's own folder. */
const there = async (...args: ReadonlyArray<string>) => {
  const result = await runCommand(gateway.folder, args)
  expect([result.code, result.err]).toEqual([0, ""])
  return result
}

const ask = (key: string) =>
  request(gateway, "/v1/messages", { body: { model: "sandbox-text", max_tokens: 20, messages: "Hello!" }, key })

describe("commands for a gateway elsewhere", () => {
  it("make, change and revoke keys, by id or by name", async () => {
    await ok(
      "accounts",
      "create",
      "team",
      "--balance",
      "0.0000005",
      "--requests-per-minute",
      "600",
      "--unpriced",
      "allow"
    )
    const made = await ok(
      ..."keys create laptop --account team --model sandbox-* --budget 1.25 --budget-period day --expires 30d --json".split(
        " "
      )
    )
    const { key, secret } = made.json<{ key: KeyRecord; secret: string }>()
    expect(key).toMatchObject({ account: "team", name: "laptop", models: ["sandbox-*"], budget: { period: "day" } })
    expect((await ask(secret)).status).toBe(200)
    const unused = (key: object) => ({ ...key, last_used_at: null })
    expect(unused((await ok("keys", "show", "laptop", "--json")).json<KeyRecord>())).toEqual(
      unused((await there("keys", "show", key.id, "--json")).json<KeyRecord>())
    )
    const changed = await ok("keys", "update", "laptop", "--no-budget", "--never-expires", "--json")
    expect(changed.json()).toMatchObject({ budget: null, expires_at: null, models: ["sandbox-*"] })
    expect((await ok("keys", "list", "--account", "team")).out).toMatch(
      new RegExp(`^${key.id} +team +laptop +active +…${secret.slice(-4)} +\\$\\S+ +\\$\\S+ +1 +sandbox-\\* +never`, "m")
    )
    expect((await ok("keys", "revoke", "laptop")).out).toMatch(/^Revoked key_\w+ "laptop" of the account team/)
    expect((await ok("keys", "revoke", key.id)).out).toContain("was revoked already")
    const gone = await run("keys", "show", "laptop")
    expect([gone.code, gone.err]).toEqual([3, 'gateway: no key "laptop"\n'])
    const late = await run("keys", "update", key.id, "--name", "x")
    expect([late.code, late.err]).toEqual([
      4,
      `gateway: ${key.id} was revoked and can't be changed; make another key\n`
    ])
  })

  it("look after accounts", async () => {
    const credited = await ok("accounts", "credit", "team", "12.5", "--note", "invoice")
    expect(credited.out).toContain("Gave $12.5 to team")
    await ok("accounts", "set", "team", "--search-block", "example.com", "--requests-per-minute", "none")
    const shown = await ok("accounts", "show", "team", "--json")
    expect(shown.json()).toMatchObject({
      limits: { requests_per_minute: null },
      search_domains: { blocked: ["example.com"] },
      grants: [{ note: "invoice" }, { note: "when it was created" }]
    })
    expect(shown.json()).toEqual((await there("accounts", "show", "team", "--json")).json())
    const none = await run("accounts", "show", "nobody")
    expect([none.code, none.err]).toEqual([3, 'gateway: no account "nobody"\n'])
    const wrong = await run("accounts", "credit", "team", "0")
    expect(wrong.code).toBe(2)
  })

  it("show what happens", async () => {
    const rows = async () => (await ok("requests", "list", "--account", "team", "--json")).json<Array<RequestView>>()
    await expect.poll(async () => (await rows()).length).toBe(1)
    const [request] = await rows()
    expect((await ok("requests", "show", request?.request_id ?? "")).out).toContain("sandbox")
    for (const args of [
      ["usage", "--by", "model"],
      ["usage", "--by", "request", "--json"],
      ["accounts", "list"],
      ["audit", "list"],
      ["tasks", "list"],
      ["deliveries", "list"],
      ["nodes", "--json"],
      ["webhooks", "secret", "team"]
    ]) {
      const changing = /"(?:since|until)": .*/g
      const outOf = async (said: Promise<{ readonly out: string }>) => (await said).out.replaceAll(changing, "")
      // A request's row is there before its sums are.
      await vi.waitFor(async () => expect(await outOf(ok(...args))).toBe(await outOf(there(...args))), 60_000)
    }
    expect((await ok("webhooks", "rotate", "team", "--json")).json<{ secrets: Array<string> }>().secrets).toHaveLength(
      2
    )
    expect((await ok("upstreams")).out).toMatch(/^sandbox +built in \(text\) +closed +\d+ +1 +1 +0 +\d+ ms/m)
    expect((await ok("models", "--wide")).out).toMatch(/^sandbox-text +text .*sandbox\/sandbox-text/m)
    const audit = (await ok("audit", "list", "--json")).json<Array<{ actor: string }>>()
    expect(audit.map(({ actor }) => actor)).toContain("admin-key")
  })

  it("list who is signed in, and end a session", async () => {
    const opened = await fetch(`${gateway.url}/console/session`, {
      method: "POST",
      headers: { origin: gateway.url },
      body: JSON.stringify({ key: adminKey })
    })
    expect(opened.status).toBe(200)
    const listed = (await ok("sessions", "list", "--json")).json<ReadonlyArray<{ id: string; kind: string }>>()
    expect(listed).toMatchObject([{ kind: "operator" }])
    expect(listed).toEqual((await there("sessions", "list", "--json")).json())
    const id = listed[0]?.id ?? ""
    expect((await ok("sessions", "revoke", id)).out).toBe(`${id} has ended\n`)
    expect((await ok("sessions", "list", "--json")).json()).toEqual([])
    expect((await run("sessions", "revoke", id)).code).toBe(3)
  })

  it("do not apply a configuration where a file is it", async () => {
    writeFileSync(join(empty, "gateway.yaml"), "models: {}\n")
    const { code, err } = await run("config", "apply", join(empty, "gateway.yaml"))
    expect([code, err]).toEqual([4, expect.stringContaining("only Postgres can store the configuration")])
    expect((await ok("config", "history", "--json")).json()).toEqual([])
  })

  it("complete the names of accounts and keys", async () => {
    await ok("keys", "create", "desktop", "--account", "team")
    expect((await ok("complete", "accounts", "show", "te")).out).toMatch(/^team\t\$/)
    expect((await ok("complete", "keys", "revoke", "des")).out).toMatch(/^desktop\tkey_/)
    expect((await ok("complete", "requests", "list", "--key", "key_")).out).toMatch(/^key_\w+\t/m)
    expect((await ok("complete", "requests", "list", "--key", "des")).out).toBe("")
    expect((await ok("complete", "usage", "--by", "")).out).toBe(
      "day\nmodel\nkey\naccount\nupstream\nservice_tier\ntag\nend_user\nrequest\n"
    )
    expect((await ok("complete", "keys", "rot")).out).toMatch(/^rotate-secret\t/)
    const nowhere = await runCommand(empty, ["complete", "accounts", "show", ""])
    expect([nowhere.code, nowhere.out]).toEqual([0, ""])
  })

  it("say what is wrong with the address or the key", async () => {
    const elsewhere = (url: string, key: string | undefined, ...args: ReadonlyArray<string>) =>
      runCommand(empty, ["keys", "list", "--url", url, ...args], key === undefined ? {} : { GATEWAY_ADMIN_KEY: key })
    const closed = await elsewhere("http://127.0.0.1:1", adminKey)
    expect([closed.code, closed.err]).toEqual([
      1,
      expect.stringMatching(/^gateway: http:\/\/127\.0\.0\.1:1 can't be reached: /)
    ])
    const wrong = await elsewhere(gateway.url, "another-key-0123456789abcdefghi")
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("refuses GATEWAY_ADMIN_KEY")])
    const keyless = await elsewhere(gateway.url, undefined)
    expect(keyless.err).toBe(`gateway: ${gateway.url} needs its GATEWAY_ADMIN_KEY, which is not set here\n`)
    const nonsense = await elsewhere("gateway.example.com", adminKey)
    expect([nonsense.code, nonsense.err]).toEqual([
      2,
      expect.stringContaining("--url: expected the address of a gateway")
    ])
    expect((await elsewhere(`${gateway.url}/`, adminKey, "--json")).code).toBe(0)
  })

  it("ask the gateway that serves here for what no database knows", async () => {
    const none = await runCommand(gateway.folder, ["upstreams"])
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("GATEWAY_ADMIN_KEY")])
  })
})
