import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { fitsIn, openBrowser, picture, signIn, startOperated, violations, visit, withoutChromium } from "./browser.ts"
import { calls, seed } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/holder.test.ts")

let browser: Browser
let gateway: GatewayHere
let key = ""

describe.skipIf(isSkipped)("an account holder's console", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
    await seed(gateway)
    const { admin, ask, video } = calls(gateway)
    await admin("/accounts", { id: "holder", balance_usd: "12.5" })
    key = (await admin("/keys", { name: "own", account: "holder", budget: { usd: "3", period: "month" } })).secret
    for (let at = 0; at < 5; at++) await ask(`Mine ${at}`, { key })
    await video("Mine", {}, key)
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it.each([
    { tag: "light", width: 1440, height: 900 },
    { tag: "390", width: 390, height: 844 }
  ])("has its own balance, requests, tasks and playground, and nothing of others: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, gateway, look)
    const { page } = visitor
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await signIn(page, key)
    const nav = page.getByRole("navigation", { name: "Console" })
    expect(await nav.locator("a.nav-item").allTextContents()).toEqual(["Overview", "Requests", "Tasks", "Playground"])
    await page.getByText("$12.50 available").waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, `holder-overview-${tag}`)
    const others = /support|acme|research|default|first key|sandbox-bot/
    for (const name of ["Overview", "Requests", "Tasks", "Playground"]) {
      await nav.getByRole("link", { name, exact: true }).click()
      await page.locator("main h1", { hasText: name }).waitFor()
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
      expect(await page.locator("main").innerText()).not.toMatch(others)
      expect([name, await violations(page)]).toEqual([name, []])
      expect([name, await fitsIn(page)]).toEqual([name, true])
      await picture(page, `holder-${name.toLowerCase()}-${tag}`)
    }
    await nav.getByRole("link", { name: "Requests", exact: true }).click()
    await expect.poll(() => page.locator("main tbody tr[data-id]").count()).toBeGreaterThanOrEqual(6)
    await nav.getByRole("link", { name: "Tasks", exact: true }).click()
    await expect.poll(() => page.locator("main tbody tr[data-id]").count()).toBe(1)
    await page.locator("main tbody tr[data-id]").click()
    await page.locator(".drawer video").waitFor()
    await page.goto("/console/keys")
    await page.locator("main h1", { hasText: "Overview" }).waitFor()
    expect(asked.filter((path) => path.startsWith("/admin"))).toEqual([])
    visitor.quiet()
    await visitor.close()
  })
})
