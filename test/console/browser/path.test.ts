import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayProcess } from "../../e2e/process.ts"
import { adminKey, openBrowser, startOperated, visit, withoutChromium } from "./browser.ts"
import { startStripping } from "./strippingProxy.ts"

let browser: Browser
let gateway: GatewayProcess
const proxy = startStripping("/gw")

describe.skipIf(withoutChromium("test/console/browser/path.test.ts"))("the console below a path", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated("", { GATEWAY_PUBLIC_URL: proxy.url })])
    proxy.passTo(gateway.url)
  })
  afterAll(async () => {
    await Promise.all([browser.close(), gateway.dispose()])
    await proxy.stop()
  })

  it("asks for nothing outside of it, on any page", async () => {
    const visitor = await visit(browser, { url: proxy.url })
    const { context, page } = visitor
    await page.goto(`${proxy.url}/`)
    await page.getByLabel("Key", { exact: true }).fill(adminKey)
    await page.keyboard.press("Enter")
    const navigation = page.getByRole("navigation", { name: "Console" })
    await navigation.waitFor()
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: "gateway_session", path: "/gw" })
    const names = await navigation.getByRole("link").allInnerTexts()
    expect(names).toContain("Audit")
    for (const name of names) {
      await navigation.getByRole("link", { name, exact: true }).first().click()
      await page.locator("main h1").first().waitFor()
      const addresses = await page
        .locator("a[href]")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")))
      expect(addresses.filter((address) => address?.startsWith("/gw/") !== true && address !== "#main")).toEqual([])
    }
    await page.goto(`${proxy.url}/console/audit`)
    await page.locator("main h1", { hasText: "Audit" }).waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Key", { exact: true }).waitFor()
    expect(await context.cookies()).toEqual([])
    visitor.quiet()
    await visitor.close()
  })
})
