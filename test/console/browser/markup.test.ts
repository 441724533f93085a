import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/markup.test.ts")

/** What strangers send, to see whether any of it becomes part of the page. */
const corpus = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(2)">',
  '"><svg onload=alert(3)>',
  "</title><iframe srcdoc='<script>parent.alert(4)</script>'>",
  "javascript:alert(5)",
  "{{constructor.constructor('alert(6)')()}}",
  "<b class=marked>bold</b>"
]

let browser: Browser
let gateway: GatewayHere

const server = Bun.serve({ port: 0, fetch: () => new Response(corpus.join("\n"), { status: 410 }) })

/** Elements that nothing of the console makes. */
const foreign = (page: Page) =>
  page.evaluate(
    () =>
      document.querySelectorAll(
        'img, iframe, b.marked, script:not([src^="/console/"]), [onload], [onerror], a[href^="javascript:"]'
      ).length
  )

describe.skipIf(isSkipped)("what strangers send", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
    const { admin, send, video } = calls(gateway)
    await Promise.all(
      corpus.map(async (text) => {
        await admin("/keys", { name: text, account: "default", models: [text, "*"] })
        await admin("/accounts/default/credit", { usd: "5", note: text })
        await send("/v1/messages", { model: text, max_tokens: 9, messages: "Hi" }, gateway.key)
        await send(
          "/v1/messages",
          {
            model: "sandbox-text",
            max_tokens: 99,
            messages: `[[sandbox: error=500]] ${text}`,
            metadata: { user_id: text }
          },
          gateway.key,
          { "user-agent": `${text}/1.0`, "x-gateway-tags": encodeURIComponent(text) }
        )
        await video(text, { callback_url: `http://127.0.0.1:${server.port}/hook?${encodeURIComponent(text)}` })
      })
    )
    await video(`[[sandbox: fail=X]] ${corpus[1] ?? ""}`)
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), server.stop(true)]))

  it("is shown as text, on every page", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    const nav = page.getByRole("navigation", { name: "Console" })
    for (const name of ["Overview", "Requests", "Tasks", "Keys", "Accounts", "Models", "Playground"]) {
      await nav.getByRole("link", { name, exact: true }).click()
      await page.locator("main h1", { hasText: name }).waitFor()
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
      expect([name, await foreign(page)]).toEqual([name, 0])
    }
    for (const name of ["Requests", "Tasks", "Keys"]) {
      await nav.getByRole("link", { name, exact: true }).click()
      const rows = page.locator("main tbody tr[data-id]")
      await rows.first().click()
      for (let at = 0; at < 8; at++) {
        await page.locator(".drawer h2").first().waitFor()
        expect([name, at, await foreign(page)]).toEqual([name, at, 0])
        await page.keyboard.press("j")
      }
      await picture(page, `markup-${name.toLowerCase()}`)
      await page.keyboard.press("Escape")
    }
    await nav.getByRole("link", { name: "Keys", exact: true }).click()
    for (const text of corpus) await page.locator("tr[data-id]").getByText(text, { exact: true }).first().waitFor()

    await nav.getByRole("link", { name: "Playground", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-text")
    await page.getByLabel("User").fill(corpus.join(" "))
    await page.getByRole("button", { name: /^Send/ }).click()
    await expect.poll(() => page.locator(".answer .text").textContent()).toContain("<b class=marked>")
    expect(await foreign(page)).toBe(0)
    visitor.quiet()
    await visitor.close()
  })
})
