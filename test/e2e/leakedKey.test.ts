import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { request } from "../request.ts"
import { adminKey } from "./adminClient.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-leaked-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      models: {
        paid: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 1000, output: 1000 } }
      }
    })
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_LOG: "debug" } })
})
afterAll(() => gateway.dispose())

const admin = async (method: string, path: string, body?: object) => {
  const answer = await request(gateway, `/admin/v1${path}`, { key: adminKey, method, ...(body && { body }) })
  return { status: answer.status, text: await answer.clone().text(), body: await answer.json() }
}
const made = async (name: string) => {
  const { body } = await admin("POST", "/keys", { account: "default", name })
  return body as { key: KeyRecord; secret: string }
}
const env = { GATEWAY_ADMIN_KEY: adminKey }

describe("a leaked key", () => {
  it("is found by any part of it, and its secret is neither stored nor logged", async () => {
    const { key, secret } = await made("leaked")
    expect(key).toMatchObject({ hint: secret.slice(-4), hint_form: "end" })
    const whole = await admin("POST", "/keys/find", { secret })
    expect(whole.body).toMatchObject({ object: "found_keys", match: "secret", data: [{ id: key.id }] })
    const end = await admin("POST", "/keys/find", { secret: `gw_…${secret.slice(-4)}` })
    expect(end.body).toMatchObject({ match: "hint", data: [{ id: key.id }] })
    expect((await admin("POST", "/keys/find", { secret: "abc" })).body.error.message).toBe(
      "secret: expected a key or its last characters, 4 to 1000 of them"
    )
    const inAddress = await admin("GET", `/keys?search=${secret}`)
    expect(inAddress.body.error.message).toContain("search: expected 100 characters at most and no secret")
    const part = secret.slice(3, -4)
    expect([whole.text, end.text].join("").includes(part)).toBe(false)
    const audit = await admin("GET", "/audit?limit=1000")
    expect(audit.text.includes(part)).toBe(false)
    expect(gateway.output().includes(part)).toBe(false)
  })

  it.each(["on this machine", "by --url"])("is found and rotated by one command %s", async (where) => {
    const remote = where === "by --url" ? ["--url", gateway.url] : []
    const run = (args: ReadonlyArray<string>, input = "") =>
      runCommand(gateway.folder, [...args, ...remote], env, input)
    const { key, secret } = await made(`of ${where}`)
    const piped = await run(["keys", "find", "-", "--json"], `${secret}\n`)
    expect([piped.err, piped.code]).toEqual(["", 0])
    expect(piped.json()).toMatchObject([{ id: key.id }])
    const typed = await run(["keys", "find", secret])
    expect(typed.out).toContain(key.id)
    expect(typed.err).toContain("the whole secret is in your shell's history now")
    const rotated = await run(["keys", "rotate-secret", `…${secret.slice(-4)}`, "--json"])
    expect(rotated.json()).toMatchObject({ key: { id: key.id } })
    const gone = await run(["keys", "rotate-secret", "-"], secret)
    expect([gone.code, gone.err]).toEqual([3, "gateway: no key has this secret, or its last characters\n"])
  })

  it("is shown with what it has used, without a budget too", async () => {
    const { key, secret } = await made("used")
    const unused = { requests: 0, cost: { nano_usd: 0, usd: "0.00" } }
    expect(key.usage).toEqual({ today: unused, last_30_days: unused, total: unused })
    const body = { model: "paid", max_tokens: 20, messages: [{ role: "user", content: "Hello!" }] }
    expect((await request(gateway, "/v1/messages", { key: secret, body })).status).toBe(200)
    const shown = (await admin("GET", `/keys/${key.id}`)).body as KeyRecord
    expect(shown.usage.total.requests).toBe(1)
    expect(shown.usage.total.cost.nano_usd).toBeGreaterThan(0)
    expect([shown.usage.today, shown.usage.last_30_days]).toEqual([shown.usage.total, shown.usage.total])
    const { body: list } = await admin("GET", "/keys?search=USED")
    expect(list).toMatchObject({ data: [{ id: key.id, usage: shown.usage }] })
    const told = await runCommand(gateway.folder, ["keys", "show", "used"])
    expect(told.out).toMatch(/^in 30 days +\$0\.\d+, 1 request$/m)
    const { body: audit } = await admin("GET", `/audit?target=${key.id}`)
    expect(audit.data[0].after).not.toHaveProperty("usage")
  })
})
