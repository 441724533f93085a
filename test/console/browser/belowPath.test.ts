import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import { belowPath, nginx, startNginx } from "../../deploy/nginx.ts"
import { runCommand } from "../../e2e/command.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, signIn, startOperated, visit, withoutChromium } from "./browser.ts"
import { calls, seed } from "./seed.ts"
import { freePort } from "../../freePort.ts"

const isSkipped = withoutChromium("test/console/browser/belowPath.test.ts") || nginx === undefined
if (nginx === undefined) console.log("skipped: test/console/browser/belowPath.test.ts, there is no nginx here")

const path = "/models-gw"

let browser: Browser
let gateway: GatewayHere
let proxy: ReturnType<typeof Bun.spawn>
let publicUrl = ""
const folder = mkdtempSync(join(tmpdir(), "gateway-below-"))

const open = async (page: Page, name: string) => {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click()
  await page.locator("main h1", { hasText: name }).waitFor()
  await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
}

/** Addresses of links that lead out of the path. */
const strays = (page: Page) =>
  page
    .locator("a[href]")
    .evaluateAll(
      (links, path) =>
        links.flatMap((link) => (link.getAttribute("href")?.match(`^(${path}/|#)`) === null ? [link.outerHTML] : [])),
      path
    )

describe.skipIf(isSkipped)("the console below a path that nginx takes off", () => {
  beforeAll(async () => {
    const port = freePort()
    publicUrl = `http://127.0.0.1:${port}${path}`
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated("", { GATEWAY_PUBLIC_URL: publicUrl })])
    proxy = startNginx(folder, belowPath(path, gateway.url, port))
    const isUp = () =>
      fetch(`${publicUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
    while (!(await isUp())) await Bun.sleep(20)
    await seed(gateway)
  }, 120_000)
  afterAll(async () => {
    proxy.kill()
    await Promise.all([browser.close(), gateway.dispose(), proxy.exited])
    rmSync(folder, { recursive: true, force: true })
  })

  it("has its pages, records and links there, and asks for nothing elsewhere", async () => {
    // What leaves the path is a complaint, and so is an answer that is none.
    const visitor = await visit(browser, { url: publicUrl })
    const { page } = visitor
    await signIn(page, adminKey, `${path}/console`)
    for (const name of [
      "Overview",
      "Requests",
      "Tasks",
      "Keys",
      "Accounts",
      "Audit",
      "Models",
      "Playground",
      "Sessions"
    ]) {
      await open(page, name)
      expect(new URL(page.url()).pathname).toBe(`${path}/console/${name.toLowerCase()}`)
      expect([name, await strays(page)]).toEqual([name, []])
    }
    for (const [name, record] of [
      ["Requests", /\/console\/requests\/req_[\w-]+$/],
      ["Tasks", /\/console\/tasks\/[\w-]+$/],
      ["Keys", /\/console\/keys\/key_\w+$/],
      ["Audit", /\/console\/audit\/\d+$/]
    ] as const) {
      await open(page, name)
      await page.locator("main tbody tr[data-id]").first().click()
      await page.locator(".drawer h2, .drawer dl").first().waitFor()
      const { pathname } = new URL(page.url())
      expect(pathname).toMatch(record)
      expect(pathname.startsWith(`${path}/`)).toBe(true)
      expect([name, await strays(page)]).toEqual([name, []])
      await page.reload()
      await page.locator(".drawer h2, .drawer dl").first().waitFor()
      expect(new URL(page.url()).pathname).toBe(pathname)
      await page.keyboard.press("Escape")
      await expect.poll(() => page.locator(".drawer").isVisible()).toBe(false)
    }
    await open(page, "Overview")
    const csv = (await page.getByRole("link", { name: "Traffic by as CSV" }).getAttribute("href")) ?? ""
    expect(await (await page.request.get(csv)).text()).toMatch(/^model,requests,/)
    visitor.quiet()
    await visitor.close()
  })

  it("hears live events, and shows a new key with the address that clients use", async () => {
    const visitor = await visit(browser, { url: publicUrl })
    const { page } = visitor
    const { admin, ask } = calls(gateway)
    await signIn(page, adminKey, `${path}/console`)
    await open(page, "Keys")
    await admin("/keys", { name: "made-elsewhere", account: "default" })
    await page.locator("main tbody tr", { hasText: "made-elsewhere" }).waitFor()
    await open(page, "Requests")
    const rows = page.locator("main tbody tr[data-id]")
    await rows.first().waitFor()
    const newest = await rows.first().getAttribute("data-id")
    await page.getByRole("button", { name: "Live" }).click()
    await ask("One more")
    await expect.poll(() => rows.first().getAttribute("data-id")).not.toBe(newest)
    await open(page, "Keys")
    await page.getByRole("button", { name: "Create key" }).first().click()
    await page.locator("dialog").getByLabel("Name", { exact: true }).fill("below")
    await page.locator("dialog").getByRole("button", { name: "Create key" }).click()
    await page.locator("dialog .secret").waitFor()
    await page.locator("dialog").getByRole("tab", { name: "Codex" }).click()
    expect(await page.locator("dialog").innerText()).toContain(`OPENAI_BASE_URL=${publicUrl}/v1`)
    await page.locator("dialog").getByRole("button", { name: "Done" }).click()
    await open(page, "Playground")
    await page.getByLabel("User").fill("Hello below a path")
    await page.keyboard.press("Control+Enter")
    await page
      .getByRole("region", { name: "Answer" })
      .getByText(/tok in, \d+ out · free/)
      .waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it("is entered by a sign-in link, and left", async () => {
    const visitor = await visit(browser, { url: publicUrl })
    const { page } = visitor
    const env = { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_PUBLIC_URL: publicUrl }
    const { out } = await runCommand(gateway.folder, ["sessions", "link"], env)
    const [link = ""] = /http\S+#link=\S+/.exec(out) ?? []
    expect(link.startsWith(`${publicUrl}/console#`)).toBe(true)
    await page.goto(link)
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    const [cookie] = await visitor.context.cookies(`${publicUrl}/console`)
    expect(cookie).toMatchObject({ path, httpOnly: true, sameSite: "Strict" })
    // What is still asked for when a session ends is refused.
    await page.getByRole("table", { name: "Upstreams" }).waitFor()
    await page
      .getByRole("combobox", { name: "Model", exact: true })
      .locator("option")
      .nth(1)
      .waitFor({ state: "attached" })
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Key", { exact: true }).waitFor()
    expect(new URL(page.url()).pathname.startsWith(`${path}/console`)).toBe(true)
    visitor.quiet()
    await visitor.close()
  })
})
