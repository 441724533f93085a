import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayProcess } from "../../e2e/process.ts"
import {
  adminKey,
  fitsIn,
  openBrowser,
  picture,
  signIn,
  startOperated,
  violations,
  visit,
  withoutChromium
} from "./browser.ts"

let browser: Browser
let gateway: GatewayProcess

const admin = async (path: string, body: object, method = "POST") => {
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as { readonly key: { readonly id: string } }
}

describe.skipIf(withoutChromium("test/console/browser/audit.test.ts"))("the audit page", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it("says who changed what, of keys and of the configuration, and shows no sign-ins unless asked", async () => {
    await admin("/accounts", { id: "support" })
    const { key } = await admin("/keys", { account: "support", name: "voice" })
    await admin(`/keys/${key.id}`, { limits: { requests_per_minute: 60 } }, "PATCH")
    appendFileSync(
      join(gateway.folder, "gateway.yaml"),
      'upstreams: { up: { protocol: openai-chat, base_url: "http://up.test", api_key: planted } }\n'
    )
    gateway.signal("SIGHUP")

    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.keyboard.press("g")
    await page.keyboard.press("u")
    const table = page.getByRole("table", { name: "Audit" })
    const reload = table.getByRole("row").filter({ hasText: "configuration.reload" })
    await reload.waitFor()
    expect(await table.innerText()).not.toContain("session.open")
    const update = table.getByRole("row").filter({ hasText: "key.update" })
    expect(await update.innerText()).toMatch(/admin-key\s+key\.update\s+voice support\s+limits\.requests_per_minute 60/)

    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "configuration.reload" }).waitFor()
    const changes = page.getByRole("table", { name: "Changed" })
    expect(await changes.getByRole("row").filter({ hasText: "api_key" }).innerText()).toMatch(
      /none\s+\[another secret\]/
    )
    expect(await page.locator("#main").innerText()).not.toContain("planted")
    expect(await violations(page)).toEqual([])
    await picture(page, "audit-configuration")

    // Its address alone leads to an entry.
    await page.reload()
    await page.getByRole("heading", { name: "configuration.reload" }).waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => new URL(page.url()).pathname).toBe("/console/audit")

    // A change appears by itself.
    await admin(`/keys/${key.id}`, { name: "voices" }, "PATCH")
    await table.getByRole("row").filter({ hasText: "voices" }).first().waitFor()

    await page.getByLabel("Any change").selectOption("session")
    await table.getByRole("row").filter({ hasText: "session.open" }).waitFor()
    expect(new URL(page.url()).searchParams.get("action")).toBe("session")
    await page.goto("/console/audit?q=nobody")
    await page.getByRole("button", { name: "Clear filters" }).click()
    await reload.waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it.each([
    ["light", 390],
    ["dark", 1024],
    ["light", 1600]
  ] as const)("fits: %s, %i", async (theme, width) => {
    const visitor = await visit(browser, gateway, { theme, width })
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/audit?sessions=true")
    await page.getByRole("table", { name: "Audit" }).waitFor()
    expect(await fitsIn(page)).toBe(true)
    expect(await violations(page)).toEqual([])
    await picture(page, `audit-${theme}-${width}`)
    visitor.quiet()
    await visitor.close()
  })
})
