import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startProvider } from "../../people/startProvider.ts"
import { fakeSignIn } from "../../people/tools/fakeSignIn.ts"
import { fitsIn, openBrowser, picture, startConsole, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/toolAccount.test.ts")

let browser: Browser
let gateway: GatewayHere
let provider: Awaited<ReturnType<typeof startProvider>>
const fake = fakeSignIn()

describe.skipIf(isSkipped)("a person's account at a server of tools", () => {
  beforeAll(async () => {
    provider = await startProvider({ more: `mcp: { servers: { jira: { url: "${fake.url}", auth: person } } }\n` })
    const env = { ...provider.env, GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }
    ;[browser, gateway] = await Promise.all([openBrowser(), startConsole({ folder: provider.folder, env })])
  })
  afterAll(async () => {
    await Promise.all([browser.close(), gateway.dispose(), fake.stop()])
    await provider.stop()
  })

  it("is connected from the link that a program shows, after a sign-in on the way, and disconnected", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    visitor.awaits(/localhost|googleapis|127\.0\.0\.1/)
    await page.route(/googleapis/, (route) => route.abort())
    await page.goto("/console/tools?connect=jira")
    await page.getByRole("link", { name: /^Sign in with localhost/ }).click()
    await page.locator('input[name="login"]').fill("ann")
    await page.locator('input[name="password"]').fill("any")
    await page.getByRole("button", { name: "Sign-in" }).click()
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("Not connected.").waitFor()
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "tool-account")
    await page.getByRole("button", { name: "Connect", exact: true }).click()
    await page.getByRole("button", { name: "Disconnect" }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/tools?connected=jira`)
    expect(fake.asked.at(-1)?.get("resource")).toBe(fake.url)
    await page.getByRole("button", { name: "Disconnect" }).click()
    await page.getByText("Not connected.").waitFor()
    await visitor.close()
  })
})
