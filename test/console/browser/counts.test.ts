import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"
import { request } from "../../request.ts"

const isSkipped = withoutChromium("test/console/browser/counts.test.ts")

let browser: Browser
let gateway: GatewayHere

const [finished, refused, failed] = [260, 7, 5]

describe.skipIf(isSkipped)("how many requests there are", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
    const { ask } = calls(gateway)
    const all = [
      ...Array.from({ length: finished }, (_, at) => `Hello ${at}`),
      ...Array.from({ length: refused }, () => "[[sandbox: error=400]] Hello"),
      ...Array.from({ length: failed }, () => "[[sandbox: error=500]] Hello")
    ]
    for (let at = 0; at < all.length; at += 40) await Promise.all(all.slice(at, at + 40).map((text) => ask(text)))
    const counted = async () => {
      const answer = await request(gateway, "/admin/v1/requests/histogram?from=1h", { key: adminKey })
      return (await answer.json()).total.requests
    }
    while ((await counted()) < all.length) await Bun.sleep(20)
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it("is said by Overview, by Requests and by its histogram alike, although only some rows have been loaded", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console?range=1h")
    const figures = page.locator("main .figures")
    await expect.poll(() => figures.textContent()).toContain(`${failed} failed · ${refused} refused`)
    expect(new URL(page.url()).searchParams.get("range")).toBe("1h")
    expect(await page.getByRole("group", { name: "Time range" }).locator("[aria-pressed=true]").textContent()).toBe(
      "1 h"
    )
    expect(await figures.textContent()).toContain(String(finished + refused + failed))
    await page.goto("/console/requests?range=1h")
    const note = page.locator(".head-note")
    await expect
      .poll(() => note.textContent())
      .toMatch(new RegExp(`^${finished + refused + failed} requests · .* · ${refused} refused · ${failed} failed$`))
    await page.getByRole("img", { name: /^Requests over the range/ }).focus()
    await page.keyboard.press("ArrowLeft")
    await expect.poll(() => page.locator(".histogram-said").textContent()).toMatch(/finished, \d+ refused, \d+ failed/)
    await picture(page, "requests-counted")
    visitor.quiet()
    await visitor.close()
  })

  it("is told of patterns and words as well, before the rows that fit are loaded", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    const note = page.locator(".head-note")
    for (const [search, fit] of [
      ["tag:pr* client:OpenAI/*", finished + refused + failed],
      ["model:sandbox-* -text", finished + refused + failed],
      ["tag:pr* outcome:failed", failed],
      ["key:first* refused", refused]
    ] as const) {
      await page.goto(`/console/requests?range=1h&q=${encodeURIComponent(search)}`)
      await expect.poll(() => note.textContent()).toMatch(new RegExp(`^${fit} requests · `))
      await page.getByText("After a crash, the newest requests may be missing here").waitFor()
    }
    await page.goto("/console/requests?range=1h&q=model:sandbox-*%20model:*-text")
    await expect.poll(() => note.textContent()).toMatch(new RegExp(`^${finished + refused + failed} requests · `))
    visitor.quiet()
    await visitor.close()
  })

  it("is told of one outcome that the address names", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/requests?range=1h")
    await page.getByRole("combobox", { name: "Any outcome" }).selectOption("refused")
    await expect.poll(() => new URL(page.url()).searchParams.get("outcome")).toBe("refused")
    const rows = page.locator("main tbody tr[data-id]")
    await expect.poll(() => rows.count()).toBe(refused)
    for (const text of await rows.allTextContents()) expect(text).toContain("refused")
    await expect.poll(() => page.locator(".head-note").textContent()).toMatch(new RegExp(`^${refused} requests · `))
    const id = (await rows.first().getAttribute("data-id")) ?? ""
    await page.goto(`/console/requests?range=1h&q=${id}`)
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.first().getAttribute("data-id")).toBe(id)
    await page.goto("/console/requests?range=1h&outcome=hang_up")
    await page.getByRole("button", { name: "Clear filters" }).waitFor()
    visitor.quiet()
    await visitor.close()
  })
})
