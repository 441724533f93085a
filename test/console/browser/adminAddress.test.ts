import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { codeProgram } from "../../people/programs/codeProgram.ts"
import { startProvider } from "../../people/startProvider.ts"
import { fakeSignIn } from "../../people/tools/fakeSignIn.ts"
import {
  adminKey,
  fitsIn,
  openBrowser,
  picture,
  signIn,
  startConsole,
  violations,
  visit,
  withoutChromium
} from "./browser.ts"
import { calls } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/adminAddress.test.ts")

let browser: Browser
let gateway: GatewayHere
let provider: Awaited<ReturnType<typeof startProvider>>
const fake = fakeSignIn()

/** Signs in at the provider, from the gateway's page that is shown. */
const asPerson = async (page: Page, name: string) => {
  await page.getByRole("link", { name: /^Sign in with localhost/ }).click()
  await page.locator('input[name="login"]').fill(name)
  await page.locator('input[name="password"]').fill("any")
  await page.getByRole("button", { name: "Sign-in" }).click()
  await page.getByRole("button", { name: "Continue" }).click()
}

const at = async (url: string) => {
  const visitor = await visit(browser, { url })
  // The provider's own pages; their fonts are elsewhere.
  visitor.awaits(/localhost|googleapis/)
  await visitor.page.route(/googleapis/, (route) => route.abort())
  return visitor
}

describe.skipIf(isSkipped)("with an address of its own for operators", () => {
  beforeAll(async () => {
    provider = await startProvider({
      isApart: true,
      more: `mcp: { servers: { jira: { url: "${fake.url}", auth: person } } }\n`
    })
    const env = { ...provider.env, GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }
    ;[browser, gateway] = await Promise.all([openBrowser(), startConsole({ folder: provider.folder, env })])
  })
  afterAll(async () => {
    await Promise.all([browser.close(), gateway.dispose(), fake.stop()])
    await provider.stop()
  })

  it("the console is there: a person signs in, reads every page, calls a model, and signs out", async () => {
    const visitor = await at(gateway.adminUrl)
    const { context, page } = visitor
    await page.goto("/console/models")
    await asPerson(page, "ann")
    const nav = page.getByRole("navigation", { name: "Console" })
    await nav.waitFor()
    expect(page.url()).toBe(`${gateway.adminUrl}/console/models`)
    const names = (await context.cookies(gateway.adminUrl)).map(({ name }) => name)
    expect(names).toEqual(["gateway_admin_session"])
    for (const link of await nav.locator("a.nav-item").all()) {
      await link.click()
      await page.locator("main h1").waitFor()
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
      await visitor.idle()
    }
    await page.goto("/console/playground")
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-text")
    await page.getByLabel("User").fill("Hello")
    await page.keyboard.press("Control+Enter")
    await page
      .getByRole("region", { name: "Answer" })
      .getByText(/tok in, \d+ out/)
      .waitFor()
    await page.reload()
    visitor.quiet()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("button", { name: /sign me out/ }).click()
    await page.getByRole("link", { name: /^Sign in with/ }).waitFor()
    expect(page.url()).toBe(`${gateway.adminUrl}/console`)
    await visitor.close()
  })

  it("the console names the public address to clients, and plays a video whose link begins with it", async () => {
    const id = await calls(gateway).video("A paper boat", {})
    const visitor = await visit(browser, { url: gateway.adminUrl })
    const { page } = visitor
    await page.goto("/console")
    await page.locator("dl.addresses").waitFor()
    expect(await page.locator("dl.addresses").innerText()).toContain(`${gateway.url}/v1`)
    await signIn(page, adminKey)
    await page.goto(`/console/tasks/${id}`)
    const player = page.locator(".drawer video")
    await player.waitFor()
    expect(await player.getAttribute("src")).toMatch(`${gateway.adminUrl}/files/`)
    visitor.quiet()
    await visitor.close()
  })

  it("a program is let in at the public address, whose page has nothing else", async () => {
    const post = async (path: string, form: Readonly<Record<string, string>>) =>
      (await fetch(gateway.url + path, { method: "POST", body: new URLSearchParams(form) })).json()
    const begun = await post("/oauth/device_authorization", { surface: "claude_code" })
    const visitor = await at(gateway.url)
    const { context, page } = visitor
    await page.goto(new URL(begun.verification_uri_complete).href)
    await page.getByRole("link", { name: /^Sign in with localhost/ }).waitFor()
    expect(await page.getByLabel("Key", { exact: true }).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await picture(page, "signed-out-people")
    await asPerson(page, "ann")
    const main = page.locator("#main")
    await main.getByRole("button", { name: "Let it in" }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/device?user_code=${begun.user_code}`)
    const nav = page.getByRole("navigation", { name: "Console" })
    expect(await nav.locator("a.nav-item").count()).toBe(0)
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "device-people")
    await page.getByLabel("Account").last().selectOption("default")
    await main.getByRole("button", { name: "Let it in" }).click()
    await main.getByRole("heading", { name: "The program is let in" }).waitFor()
    const tokens = await post("/oauth/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: begun.device_code
    })
    expect(Object.keys(tokens)).toContain("refresh_token")
    expect((await context.cookies(gateway.url)).map(({ name }) => name)).toEqual(["gateway_session"])
    await page.getByRole("link", { name: "Model Gateway" }).click()
    await page.getByRole("heading", { name: "Sign in a program" }).waitFor()
    await visitor.idle()
    // Not one request to the admin API, to its events least of all.
    visitor.quiet()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("button", { name: /sign me out/ }).click()
    await page.getByRole("link", { name: /^Sign in with/ }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/device`)
    await visitor.close()
  })

  it("a program is let in to the tools at the public address", async () => {
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
    const { client_id } = (await program.register([redirect_uri], { client_name: "Agent 7" })).body
    const visitor = await at(gateway.url)
    const { page } = visitor
    await page.goto(program.address({ client_id, redirect_uri }))
    await asPerson(page, "ann")
    await page.locator("#main").getByRole("button", { name: "Let it in" }).click()
    await page.getByText("Back in the program").waitFor()
    const code = got[0]?.get("code") ?? ""
    expect((await program.exchange({ code, client_id, redirect_uri })).status).toBe(200)
    await visitor.close()
    await agent.stop(true)
  })

  it("an account at a server is connected at the public address, where the console's button leads", async () => {
    const visitor = await at(gateway.adminUrl)
    const { page } = visitor
    await page.goto("/console/tools/jira")
    await asPerson(page, "ann")
    await page.getByRole("button", { name: "Connect", exact: true }).click()
    await page.waitForURL(`${gateway.url}/console/tools?connect=jira`)
    await page.getByRole("link", { name: /^Sign in with localhost/ }).click()
    await page.getByRole("heading", { name: "Your account at jira" }).waitFor()
    await page.getByText("Not connected.").waitFor()
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, "tool-accounts-people")
    await page.getByRole("button", { name: "Connect", exact: true }).click()
    await page.getByRole("button", { name: "Disconnect" }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/tools?connected=jira`)
    await page.goto(`${gateway.url}/console/tools`)
    await page.getByRole("button", { name: "Disconnect" }).click()
    await page.getByText("Not connected.").waitFor()
    await visitor.close()
  })
})
