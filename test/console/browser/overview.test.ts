import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import { usd } from "../../../console/format.ts"
import { storeWeek } from "../../questions/week.ts"
import type { Week } from "../../questions/week.ts"
import { adminKey, fitsIn, openBrowser, picture, signIn, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/overview.test.ts")

let browser: Browser
let week: Week

const traffic = (page: Page) => page.getByRole("table", { name: "Traffic by" })
const upstreams = (page: Page) => page.getByRole("table", { name: "Upstreams" })
const cell = (page: Page, row: string, head: string) =>
  upstreams(page).getByRole("row", { name: row }).locator(`td[data-head="${head}"]`).textContent()

describe.skipIf(isSkipped)("the Overview", () => {
  beforeAll(async () => {
    ;[browser, week] = await Promise.all([openBrowser(), storeWeek()])
  }, 180_000)
  afterAll(() => Promise.all([browser.close(), week.dispose()]))

  it.each([
    { width: 390, theme: "light" },
    { width: 390, theme: "dark" },
    { width: 1024, theme: "light" },
    { width: 1440, theme: "light" },
    { width: 1440, theme: "dark" },
    { width: 1600, theme: "light" }
  ] as const)("fits and can be read: $width px, $theme", async ({ theme, width }) => {
    const visitor = await visit(browser, week.gateway, { width, theme })
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/overview?range=7d&by=account,model&on=cheap")
    await page.getByText("was charged;").waitFor()
    expect(await fitsIn(page)).toBe(true)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width, height: 2_600 })
    await picture(page, `overview-${width}-${theme}`)
    visitor.quiet()
    await visitor.close()
  })

  it("says in two steps who spent most yesterday, and on what", async () => {
    const visitor = await visit(browser, week.gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.getByRole("button", { name: "Yesterday" }).click()
    await page.getByRole("combobox", { name: "Traffic by" }).selectOption("account")
    await page.getByRole("combobox", { name: "and by" }).selectOption("model")
    const first = traffic(page).locator("tbody tr").first()
    await expect.poll(() => first.locator("td").nth(1).textContent()).toBe("smart")
    expect(await first.locator("td").first().textContent()).toBe("research")
    const { searchParams } = new URL(page.url())
    expect([searchParams.get("range"), searchParams.get("by")]).toEqual(["yesterday", "account,model"])
    await first.getByRole("link", { name: "research" }).click()
    await page.locator("main h1", { hasText: "Requests" }).waitFor()
    await expect.poll(() => page.locator("main tbody tr[data-id]").count()).toBeGreaterThan(0)
    visitor.quiet()
    await visitor.close()
  })

  it("shows upstreams that are slow, and failures that failover hid", async () => {
    const visitor = await visit(browser, week.gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/overview?range=7d")
    await upstreams(page).waitFor()
    expect(Number(await cell(page, "shaky", "Hidden"))).toBeGreaterThan(0)
    expect(await cell(page, "near", "Hidden")).toBe("0")
    const p50 = async (name: string) => Number.parseFloat(((await cell(page, name, "p50")) ?? "").replace(/ s$/, "e3"))
    expect(await p50("far")).toBeGreaterThan(await p50("near"))
    visitor.quiet()
    await visitor.close()
  })

  it("says what the traffic would have cost on another model", async () => {
    const visitor = await visit(browser, week.gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.getByRole("combobox", { name: "Model", exact: true }).selectOption("cheap")
    await page.getByText(/\$[\d.,]+ was charged; \$[\d.,]+ on cheap \([\d.]+ % less\)/).waitFor()
    expect(new URL(page.url()).searchParams.get("on")).toBe("cheap")
    visitor.quiet()
    await visitor.close()
  })

  it("says it of the span that was chosen, where that is still loaded", async () => {
    const visitor = await visit(browser, week.gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    const model = page.getByRole("combobox", { name: "Model", exact: true })
    await model.waitFor()
    const loads = Promise.withResolvers<void>()
    await page.route(/\/overview\?/, async (route) => {
      await loads.promise
      await route.continue()
    })
    await page.getByRole("button", { name: "7 d", exact: true }).click()
    await model.selectOption("cheap")
    await page.getByText("was charged;").waitFor()
    loads.resolve()
    await page.getByText(`${usd(week.ledger("cost_nano_usd") / 1e9)} was charged;`).waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it("takes a span of one's own, and gives tables as CSV", async () => {
    const visitor = await visit(browser, week.gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    const fortyDaysAgo = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 16)
    await page.getByRole("button", { name: "Own…" }).click()
    await page.getByLabel("To", { exact: true }).fill("2000-01-01T00:00")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await page.getByText("From: expected a time before To.").waitFor()
    await page.getByLabel("From", { exact: true }).fill(fortyDaysAgo)
    await page.getByLabel("To", { exact: true }).fill("2100-01-01T00:00")
    await page.keyboard.press("Enter")
    await expect.poll(() => new URL(page.url()).searchParams.get("t")).toMatch(/^\d+-\d+$/)
    await page.getByRole("button", { name: "7 d", exact: true }).click()
    await traffic(page).waitFor()
    const href = (await page.getByRole("link", { name: "Traffic by as CSV" }).getAttribute("href")) ?? ""
    const answer = await page.request.get(href)
    expect(answer.headers()["content-type"]).toBe("text/csv; charset=utf-8")
    expect(await answer.text()).toMatch(/^model,requests,errors,/)
    await page.getByRole("img", { name: /^Requests/ }).focus()
    await page.keyboard.press("ArrowLeft")
    await expect.poll(() => page.locator(".chart .legend b").first().textContent()).not.toBe("")
    await page.close()
    visitor.quiet()
    await visitor.close()
  })
})
