import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { codeProgram } from "../../people/programs/codeProgram.ts"
import { startProvider } from "../../people/startProvider.ts"
import { adminKey, fitsIn, openBrowser, picture, startConsole, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/signIn.test.ts")

let browser: Browser
let gateway: GatewayHere
let provider: Awaited<ReturnType<typeof startProvider>>

describe.skipIf(isSkipped)("signing in at a provider of another site", () => {
  beforeAll(async () => {
    provider = await startProvider()
    ;[browser, gateway] = await Promise.all([
      openBrowser(),
      startConsole({ folder: provider.folder, env: provider.env })
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

  it("lets a program in by its code, after a sign-in on the way and a click", async () => {
    const begun = await (
      await fetch(`${gateway.url}/oauth/device_authorization`, {
        method: "POST",
        headers: { "user-agent": "claude-code/2.1.332" },
        body: new URLSearchParams({ surface: "claude_code" })
      })
    ).json()
    await fetch(`${gateway.url}/admin/v1/accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "team-b" })
    })
    const visitor = await at("bob", `/device?user_code=${begun.user_code}`)
    const { page } = visitor
    const main = page.locator("#main")
    await main.getByRole("button", { name: "Let it in" }).waitFor()
    expect(await main.innerText()).toContain(begun.user_code)
    expect(await main.innerText()).toContain("claude-code/2.1.332")
    await page.getByLabel("Account").last().selectOption("team-b")
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "device")
    const poll = async () =>
      (
        await fetch(`${gateway.url}/oauth/token`, {
          method: "POST",
          body: new URLSearchParams({
            grant_type: "urn:ietf:params:oauth:grant-type:device_code",
            device_code: begun.device_code
          })
        })
      ).json()
    expect((await poll()).error).toBe("authorization_pending")
    await main.getByRole("button", { name: "Let it in" }).click()
    await main.getByRole("heading", { name: "The program is let in" }).waitFor()
    expect(Object.keys(await poll())).toContain("refresh_token")
    await main.getByRole("link", { name: "Enter another code" }).click()
    await main.getByLabel("Code").fill("bcdfghjk")
    await main.getByRole("button", { name: "Next" }).click()
    await main.getByRole("alert").waitFor()
    expect(await main.innerText()).toContain("No program waits with the code BCDF-GHJK")
    visitor.awaits(/console\/devices/)
    await visitor.close()
  })

  it("lets a program use the tools at its own address, after a sign-in on the way and a click", async () => {
    const got: Array<URLSearchParams> = []
    const agent = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        if (url.includes("/callback")) got.push(new URL(url).searchParams)
        return new Response("Back in the program")
      }
    })
    const program = codeProgram(gateway.url)
    const redirect_uri = `http://127.0.0.1:${agent.port}/callback`
    const { client_id } = (await program.register(["http://127.0.0.1/callback"], { client_name: "Agent 7" })).body
    const asked = new URL(program.address({ client_id, redirect_uri }))
    const visitor = await at("ann", asked.pathname + asked.search)
    const { page } = visitor
    const main = page.locator("#main")
    await main.getByRole("button", { name: "Let it in" }).waitFor()
    const text = await main.innerText()
    expect(text).toContain(`Agent 7 asks to use your tools here. The answer goes to 127.0.0.1:${agent.port}.`)
    expect(text).toContain("Any program that runs there could be behind it")
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "consent")
    expect(got).toEqual([])
    await main.getByRole("button", { name: "Let it in" }).click()
    await page.getByText("Back in the program").waitFor()
    const [answer] = got
    const code = answer?.get("code") ?? ""
    expect([answer?.get("state"), answer?.get("iss")]).toEqual(["state-1", program.url])
    const tokens = await program.exchange({ code, client_id, redirect_uri })
    expect((await program.mcp(tokens.body.access_token)).status).toBe(200)
    // The page asks each time.
    await page.goto(asked.pathname + asked.search)
    await main.getByRole("button", { name: "Keep it out" }).click()
    await page.getByText("Back in the program").waitFor()
    expect(got.at(-1)?.get("error")).toBe("access_denied")
    await page.goto("/console/consent?request=nothing")
    await main.getByRole("alert").waitFor()
    expect(await main.innerText()).toContain("This request has expired")
    visitor.awaits(/console\/authorizations|127\.0\.0\.1/)
    await visitor.close()
    await agent.stop(true)
  })

  it("is kept from no one by a page of another site, whose link leads to it all the same", async () => {
    const parts = Array.from({ length: 400 }, (_, n) => `<img src="${gateway.url}/sign-in?n=${n}">`)
    const frame = `<iframe src="${gateway.url}/sign-in"></iframe>`
    const elsewhere = Bun.serve({
      port: 0,
      hostname: "localhost",
      fetch: () =>
        new Response(`<a href="${gateway.url}/sign-in">Gateway</a>${parts.join("")}${frame}`, {
          headers: { "content-type": "text/html" }
        })
    })
    const { context, page } = await visit(browser, gateway)
    const statuses: Array<number> = []
    let images = 0
    page.on("response", (response) => {
      if (new URL(response.url()).pathname === "/sign-in") statuses.push(response.status())
    })
    // The browser hides what is no image from the page.
    page.on("requestfailed", (request) => {
      if (request.resourceType() === "image") images++
    })
    await page.goto(`http://localhost:${elsewhere.port}/`)
    await expect.poll(() => [images, statuses]).toEqual([400, [403]])
    expect(await context.cookies(gateway.url)).toEqual([])
    await page.getByRole("link", { name: "Gateway" }).click()
    await page.locator('input[name="login"]').waitFor()
    expect(statuses).toEqual([403, 303])
    await context.close()
    await elsewhere.stop(true)
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
