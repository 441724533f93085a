import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { allProviders, isMissing, startWorld } from "../../people/others/world.ts"
import type { World } from "../../people/others/world.ts"
import { openBrowser, operated, picture, violations, visit, withoutChromium } from "./browser.ts"

/* `SameSite` and `form-action` show in a browser alone: the providers are of another site than the gateway. */
const others = allProviders.filter((name) => name !== "oidc-provider")
const isSkipped = withoutChromium("test/console/browser/otherProviders.test.ts") || others.every(isMissing)

describe.skipIf(isSkipped)("signing in at a real provider, by a browser", () => {
  let browser: Browser
  let world: World
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), startWorld({ name: "sqlite" }, operated())])
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  const signsInAt = async (name: (typeof others)[number]) => {
    const provider = world.provider(name)
    const { operator } = provider.people
    const visitor = await visit(browser, world.gateway)
    const { context, page } = visitor
    // The provider's own pages.
    visitor.awaits(/localhost/)
    await page.goto("/console/models?q=sandbox")
    await page.getByRole("link", { name: `Sign in with ${new URL(provider.issuer).host}` }).click()
    if (operator.way !== undefined) await page.locator(`a[href*="${operator.way}"]`).click()
    if (operator.password !== "") {
      await page.locator('input[name="username"]').fill(operator.name)
      await page.locator('input[name="password"]').fill(operator.password)
      await page.getByRole("button", { name: "Login" }).click()
    }
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    expect(page.url()).toBe(`${world.url}/console/models?q=sandbox`)
    expect(await page.locator(".nav-where").innerText()).toContain(`${operator.shown}, operator`)
    const cookies = (await context.cookies(world.url)).filter(({ name: one }) => one.startsWith("gateway_"))
    expect(cookies.map(({ httpOnly, name: one, sameSite }) => [one, sameSite, httpOnly])).toEqual([
      ["gateway_session", "Strict", true]
    ])
    await page.getByRole("button", { name: "Sign out" }).click()
    if (provider.signsOut) {
      // The example server has no address to come back to.
      await page.waitForURL(/localhost.*end_session/)
      await page.goto(`${world.url}/console`)
    } else {
      await page.getByText("You are signed out here,").waitFor()
      await picture(page, "signed-out-here")
      expect(await violations(page)).toEqual([])
    }
    await page
      .getByRole("link", { name: /^Sign in with/ })
      .first()
      .waitFor()
    const session = await page.evaluate(async () => (await fetch("/console/session")).json())
    expect(session.signed_in).toBe(false)
    visitor.quiet()
    await visitor.close()
  }
  for (const name of others) it.skipIf(isMissing(name))(name, () => signsInAt(name))
})
