import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
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

const isSkipped = withoutChromium("test/console/browser/components.test.ts")

let browser: Browser
let sources: GatewayHere

describe.skipIf(isSkipped)("the page of components", () => {
  beforeAll(async () => {
    browser = await openBrowser()
    sources = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
  })
  afterAll(() => Promise.all([browser.close(), sources.dispose()]))

  it.each([
    { theme: "light", width: 1440 },
    { theme: "dark", width: 1440 },
    { theme: "light", width: 390 }
  ] as const)("shows each of them, from sources: $theme, $width", async ({ theme, width }) => {
    const visitor = await visit(browser, sources, { theme, width })
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/components")
    await page.getByRole("heading", { level: 1, name: "Components" }).waitFor()
    expect(await page.getByRole("heading", { level: 2 }).count()).toBeGreaterThan(8)
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, `components-${theme}-${width}`)
    await page.getByRole("button", { name: "Open", exact: true }).click()
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.locator("main .filters select").count()).toBe(2)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const stale = page.locator(".stale")
    await stale.getByText("Another user has changed this meanwhile.").waitFor()
    // What was not touched here is taken as it is stored now.
    expect(await page.getByLabel("Limit of the thing").inputValue()).toBe("20")
    expect(await page.getByLabel("Name of the thing").inputValue()).toBe("mine")
    await stale.getByRole("radio").first().check()
    expect(await page.getByLabel("Name of the thing").inputValue()).toBe("theirs")
    expect(await violations(page)).toEqual([])
    await picture(page, `components-stale-${theme}-${width}`)
    await page.getByRole("button", { name: "Open the drawer" }).click()
    await page.locator(".drawer h2").first().waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, `components-drawer-${theme}-${width}`)
    await page.locator(".drawer").getByRole("button", { name: "Close" }).click()
    await page.locator(".drawer").waitFor({ state: "detached" })
    visitor.quiet()
    await visitor.close()
  })

  it("is not in what is shipped", async () => {
    const shipped = await startOperated()
    const visitor = await visit(browser, shipped)
    await visitor.page.goto("/console/components")
    await visitor.page.getByLabel("Key", { exact: true }).waitFor()
    expect(await visitor.page.getByRole("heading", { name: "Components" }).count()).toBe(0)
    visitor.quiet()
    await visitor.close()
    await shipped.dispose()
  })
})
