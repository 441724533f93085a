import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/live.test.ts")

let browser: Browser
let gateway: GatewayHere

describe.skipIf(isSkipped)("a console that is kept open", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
    await calls(gateway).ask("The first one")
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it("shows requests as they come, however many, and only those in view are in the page", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const { ask } = calls(gateway)
    await signIn(page, adminKey)
    await page.goto("/console/requests")
    const rows = page.locator("main tbody tr[data-id]")
    await rows.first().waitFor()
    await page.keyboard.press("l")
    expect(await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed")).toBe("true")
    const count = 600
    for (let at = 0; at < count; at += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`Hello ${at + index}`)))
    const shown = async () =>
      Number(((await page.locator(".head-note").textContent()) ?? "").replaceAll(/[^\d].*/g, "").replaceAll(",", ""))
    await expect.poll(shown).toBeGreaterThan(count / 2)
    expect(await rows.count()).toBeLessThan(120)
    await page.locator("main").evaluate((main) => main.scrollTo(0, 2_000))
    await expect.poll(() => page.locator("main").evaluate((main) => main.scrollTop)).toBeGreaterThan(1_000)
    await ask("One more")
    await page.getByRole("button", { name: /^\d+ new$/ }).waitFor()
    await picture(page, "requests-new")
    await page.getByRole("button", { name: /^\d+ new$/ }).click()
    await expect.poll(() => page.locator("main").evaluate((main) => main.scrollTop)).toBe(0)
    visitor.quiet()
    await visitor.close()
  })
})
