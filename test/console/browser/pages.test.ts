import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import {
  adminKey,
  fitsIn,
  openBrowser,
  operated,
  operatedFolder,
  picture,
  signIn,
  violations,
  visit,
  withoutChromium
} from "./browser.ts"
import { seed } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/pages.test.ts")

const names = [
  "Overview",
  "Requests",
  "Tasks",
  "Keys",
  "Accounts",
  "Models",
  "Tools",
  "Playground",
  "Sessions"
] as const

const looks = [
  { tag: "light", theme: "light", width: 1440, height: 900 },
  { tag: "dark", theme: "dark", width: 1440, height: 900 },
  { tag: "390", theme: "light", width: 390, height: 844 }
] as const

/** Each theme and each width once: for states that differ from the whole page in few of its parts. */
const apart = looks.slice(1)

let browser: Browser
let full: GatewayProcess
let bare: GatewayProcess

/** From the program as it is shipped, with the pages in itself. */
const startShipped = () => startGateway({ folder: operatedFolder(""), ...operated() })

type Visitor = Awaited<ReturnType<typeof visit>>

/** Opens a page and waits until it shows what it has, and no grey lines. */
const open = async ({ idle, page }: Visitor, name: string) => {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click()
  await page.locator("main h1", { hasText: name }).waitFor()
  await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
  await idle()
}

describe.skipIf(isSkipped)("the console's pages", () => {
  beforeAll(async () => {
    ;[browser, full, bare] = await Promise.all([openBrowser(), startShipped(), startShipped()])
    await seed(full)
  })
  afterAll(() => Promise.all([browser.close(), full.dispose(), bare.dispose()]))

  it.each(looks)("are whole, quiet and accessible: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, full, look)
    const { page } = visitor
    await page.goto("/console")
    await page.getByRole("heading", { level: 1 }).waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, `signed-out-${tag}`)
    await signIn(page, adminKey)
    for (const name of names) {
      await open(visitor, name)
      expect([name, await violations(page)]).toEqual([name, []])
      expect([name, await fitsIn(page)]).toEqual([name, true])
      await picture(page, `${name.toLowerCase()}-${tag}`)
    }
    for (const name of ["Requests", "Tasks", "Keys"] as const) {
      await open(visitor, name)
      // One with something to tell: why it failed, and its attempts.
      const row = page.locator("main tbody tr[data-id]", name === "Requests" ? { hasText: "failed" } : {})
      await row.first().click()
      await page.locator(".drawer h2").first().waitFor()
      if (name === "Requests") await page.locator(".drawer .waterfall").waitFor()
      expect([name, await violations(page)]).toEqual([name, []])
      await picture(page, `${name.toLowerCase()}-opened-${tag}`)
      await page.keyboard.press("Escape")
      await expect.poll(() => page.locator(".drawer").isVisible()).toBe(false)
    }
    visitor.quiet()
    await visitor.close()
  })

  it("leave closed what was closed before it had come", async () => {
    const visitor = await visit(browser, full)
    const { page } = visitor
    await signIn(page, adminKey)
    for (const [name, late] of [
      ["Requests", /\/admin\/v1\/requests\/req_/],
      ["Tasks", /\/api\/v3\/contents\/generations\/tasks\//],
      ["Keys", /\/admin\/v1\/audit/]
    ] as const) {
      await open(visitor, name)
      const waiting = Promise.withResolvers<void>()
      await page.route(late, async (route) => {
        await waiting.promise
        await route.continue().catch(() => {})
      })
      const asked = page.waitForRequest(late)
      await page.locator("main tbody tr[data-id]").first().click()
      await asked
      await page.keyboard.press("Escape")
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/${name.toLowerCase()}`)
      const answered = page.waitForResponse(late)
      waiting.resolve()
      await (await answered).finished()
      await visitor.idle()
      expect([name, await page.locator(".drawer").isVisible()]).toEqual([name, false])
      await page.unroute(late)
    }
    visitor.quiet()
    await visitor.close()
  })

  it.each(apart)("say what would be there where nothing is: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, bare, look)
    await signIn(visitor.page, adminKey)
    for (const name of ["Overview", "Requests", "Tasks"] as const) {
      await open(visitor, name)
      expect([name, await violations(visitor.page)]).toEqual([name, []])
      await picture(visitor.page, `${name.toLowerCase()}-empty-${tag}`)
    }
    visitor.quiet()
    await visitor.close()
  })

  it.each(apart)("keep their frame while they wait: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, full, look)
    const { page } = visitor
    await signIn(page, adminKey)
    for (const name of ["Overview", "Requests", "Tasks", "Keys", "Accounts", "Models", "Tools", "Sessions"] as const) {
      const waiting = Promise.withResolvers<void>()
      await page.route(/\/admin\/v1\/(?!events)/, async (route) => {
        await waiting.promise
        await route.continue().catch(() => {})
      })
      await page.goto(`/console/${name.toLowerCase()}`)
      await page.locator("main h1", { hasText: name }).waitFor()
      await page.locator("main .skeleton").first().waitFor()
      // What one filters by can be used before anything has come.
      const fields = await page.locator("main #search").count()
      expect([name, fields]).toEqual([name, ["Requests", "Tasks", "Keys", "Models"].includes(name) ? 1 : 0])
      const selects = await page.locator("main .filter-selects select").count()
      expect([name, selects]).toEqual([name, { Requests: 4, Tasks: 4, Keys: 3, Models: 2 }[name as string] ?? 0])
      if (name === "Requests") await page.locator("main .histogram svg").waitFor()
      await picture(page, `${name.toLowerCase()}-loading-${tag}`)
      waiting.resolve()
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
      await page.unroute(/\/admin\/v1\/(?!events)/)
    }
    visitor.quiet()
    await visitor.close()
  })

  it.each(apart)("say what is wrong where the gateway does not answer: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, full, look)
    const { page } = visitor
    await signIn(page, adminKey)
    visitor.awaits(/status of 503/)
    await page.route(/\/admin\/v1\/(?!events)/, (route) =>
      route.fulfill({
        status: 503,
        headers: { "x-request-id": "req_failing" },
        json: {
          error: { code: "server_error", message: "The database does not answer", param: null, type: "server_error" }
        }
      })
    )
    for (const name of [
      "Overview",
      "Requests",
      "Tasks",
      "Keys",
      "Accounts",
      "Playground",
      "Sessions",
      "Models"
    ] as const) {
      if (name === "Overview") await page.reload()
      else await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click()
      await page.getByRole("alert").getByText("can’t be shown").first().waitFor()
      expect(await page.locator("main").innerText()).toContain("503 server_error")
      expect([name, await violations(page)]).toEqual([name, []])
      await picture(page, `${name.toLowerCase()}-failed-${tag}`)
    }
    await page.unroute(/\/admin\/v1\/(?!events)/)
    // One that comes back by itself, or with another, is not there to be clicked.
    const again = page.getByRole("button", { name: "Try again" })
    await expect
      .poll(async () => {
        await again
          .first()
          .click({ timeout: 1_000 })
          .catch(() => {})
        return again.count()
      })
      .toBe(0)
    await page.getByRole("table", { name: "Models" }).waitFor()
    visitor.quiet()
    await visitor.close()
  })
})
