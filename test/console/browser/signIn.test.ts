import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { startProvider } from "../../people/startProvider.ts"
import { fitsIn, openBrowser, operated, picture, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/signIn.test.ts")

let browser: Browser
let gateway: GatewayProcess
let provider: Awaited<ReturnType<typeof startProvider>>

describe.skipIf(isSkipped)("signing in at a provider of another site", () => {
  beforeAll(async () => {
    provider = await startProvider()
    ;[browser, gateway] = await Promise.all([
      openBrowser(),
      startGateway({ folder: provider.folder, ...operated(provider.env) })
    ])
  })
  afterAll(async () => {
    await Promise.all([browser.close(), gateway.dispose()])
    await provider.stop()
  })

  const at = async (name: string, path = "/console") => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    // The provider's own pages; their fonts are elsewhere.
    visitor.awaits(/localhost|googleapis/)
    await page.route(/googleapis/, (route) => route.abort())
    await page.goto(path)
    await page.getByRole("link", { name: /^Sign in with localhost/ }).click()
    await page.locator('input[name="login"]').fill(name)
    await page.locator('input[name="password"]').fill("any")
    await page.getByRole("button", { name: "Sign-in" }).click()
    await page.getByRole("button", { name: "Continue" }).click()
    return visitor
  }

  it("opens the page that was asked for, and signing out ends both sign-ins", async () => {
    const visitor = await at("ann", "/console/models?q=sandbox")
    const { context, page } = visitor
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/models?q=sandbox`)
    expect(await page.locator(".nav-where").innerText()).toContain("ann@corp.test, operator")
    const cookies = (await context.cookies(gateway.url)).map(({ name, sameSite }) => [name, sameSite])
    expect(cookies).toEqual([["gateway_session", "Strict"]])
    await page.reload()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("button", { name: /sign me out/ }).click()
    await page.getByRole("link", { name: /^Sign in with/ }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console`)
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "signed-out-provider")
    visitor.quiet()
    await visitor.close()
  })

  it("shows a manager what a manager reaches, in the account that is chosen", async () => {
    const visitor = await at("bob")
    const { page } = visitor
    const nav = page.getByRole("navigation", { name: "Console" })
    await nav.waitFor()
    expect(await nav.locator("a.nav-item").allTextContents()).not.toContain("Sessions")
    await nav.getByLabel("Account").selectOption("team-b")
    await expect.poll(() => nav.getByLabel("Account").inputValue()).toBe("team-b")
    expect(await violations(page)).toEqual([])
    await picture(page, "manager")
    await visitor.close()
  })

  it("tells a stranger that they have no role", async () => {
    const visitor = await at("eve")
    const { page } = visitor
    await page.getByRole("heading", { name: "Not signed in" }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole("link", { name: "Back to the sign-in page" }).click()
    await page.getByRole("link", { name: /^Sign in with/ }).waitFor()
    await visitor.close()
  })
})
