import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { Browser, behindProxy } from "./browser.ts"

const operatorKey = "operator-key-0123456789abcdef"
const keyOf = (name: string) => `${name}-key-0123456789abcdefghij`
const file = `${behindProxy}admin_keys:
  - { name: teams, role: manager, accounts: [team-*, other, "100%"], secret: ${keyOf("teams")} }
  - { name: everywhere, role: manager, accounts: ["*"], secret: ${keyOf("everywhere")} }
  - { name: auditor, role: auditor, secret: ${keyOf("auditor")} }
`
const team = (n: number) => `team-${String(n).padStart(3, "0")}`

describeOnEach("the accounts to choose from", () => {
  let gateway: GatewayHere
  let operator: Browser
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-choice-"))
    writeFileSync(join(folder, "gateway.yaml"), file)
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: operatorKey, ...(await gatewayEnv("choice")) } })
    operator = await signedIn("operator")
    await make(["team-1", "teams"])
  })
  afterAll(() => gateway.dispose())

  const signedIn = async (name: string) => {
    const browser = new Browser(gateway.url)
    await browser.signIn({ key: name === "operator" ? operatorKey : keyOf(name) })
    return browser
  }
  const make = async (ids: ReadonlyArray<string>) => {
    const made = ids.map((id) => operator.send("/admin/v1/accounts", { body: { id } }))
    for (const { status } of await Promise.all(made)) expect(status).toBe(200)
  }
  const session = async (browser: Browser, query = "") => (await browser.send(`/console/session${query}`)).json

  it("are those that a role names, and those that exist and match", async () => {
    const teams = await session(await signedIn("teams"))
    expect([teams.accounts, teams.more_accounts]).toEqual([["100%", "other", "team-1"], undefined])
    expect((await session(await signedIn("everywhere"))).accounts).toEqual(["default", "team-1", "teams"])
    for (const browser of [operator, await signedIn("auditor")]) expect((await session(browser)).accounts).toBe(null)
  })

  it("are two hundred at most, and searched beyond", async () => {
    for (let at = 0; at < 200; at += 20) await make(Array.from({ length: 20 }, (_, n) => team(at + n)))
    const teams = await signedIn("teams")
    const { accounts, more_accounts } = await session(teams)
    expect([accounts.length, accounts[0], accounts.at(-1), more_accounts]).toEqual([200, "100%", team(196), true])
    const found = async (account: string) => (await session(teams, `?${new URLSearchParams({ account })}`)).accounts
    expect(await found("TEAM-19")).toEqual(Array.from({ length: 10 }, (_, n) => team(190 + n)))
    expect(await found("%")).toEqual(["100%"])
    expect(await found("teams")).toEqual([])
    expect(await found("_")).toEqual([])
  })
})
