import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/conversations.test.ts")

let browser: Browser
let gateway: GatewayHere
/** The requests of the session, oldest first. */
let ids: ReadonlyArray<string>

const markup = `<img src=x onerror="document.title='broken'"> **bold**`
const body = {
  model: "sandbox-text",
  max_tokens: 200,
  system: "You are a careful agent.",
  tools: [{ name: "bash", input_schema: { type: "object" } }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: markup },
        { type: "image", source: { type: "url", url: "https://example.invalid/a.png" } }
      ]
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The files come first.", signature: "s" },
        { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls /var/log" } }
      ]
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "nginx" }] }
  ]
}

const ask = async (more: object) => {
  const headers = { "x-claude-code-session-id": "a-session-of-an-agent" }
  const answer = await request(gateway, "/v1/messages", { body: { ...body, ...more }, headers })
  await answer.text()
  return answer.headers.get("x-request-id") ?? ""
}

describe.skipIf(isSkipped)("the conversation of a request", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([
      openBrowser(),
      startOperated(`accounts: { default: { record: { bodies: "on" } } }\n`)
    ])
    ids = [await ask({}), await ask({ stream: true }), await ask({ messages: "[[sandbox: error=500]] Hello" })]
    const recorded = async (id: string) => {
      const answer = await request(gateway, `/admin/v1/requests/${id}`, { key: adminKey })
      return answer.status === 200 && (await answer.json()).bodies !== null
    }
    for (const id of ids) while (!(await recorded(id))) await Bun.sleep(20)
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it.each([
    { theme: "light", width: 390 },
    { theme: "dark", width: 1024 },
    { theme: "light", width: 1440 },
    { theme: "dark", width: 1600 }
  ] as const)("is readable, whole and streamed, and nothing is cut: $theme, $width px", async (look) => {
    const visitor = await visit(browser, gateway, look)
    const { page } = visitor
    await signIn(page, adminKey)
    for (const id of ids.slice(0, 2)) {
      await page.goto(`/console/requests/${id}`)
      const drawer = page.locator(".drawer")
      await drawer.getByRole("heading", { name: "What was said" }).waitFor()
      const said = drawer.locator(".turns")
      expect(await said.locator("li.turn").count()).toBe(5)
      expect(await said.textContent()).toContain(markup)
      expect(await page.title()).not.toBe("broken")
      expect(await said.locator("img, b, strong").count()).toBe(0)
      await said.getByText("Calls bash").waitFor()
      expect(await said.getByText("The files come first.").isVisible()).toBe(false)
      await said.getByText("Reasoning", { exact: true }).click()
      expect(await said.getByText("The files come first.").isVisible()).toBe(true)
      expect(await said.locator("li.turn").last().textContent()).toContain("the answer")
      await drawer.getByText("Raw, redacted").waitFor()
      expect(await drawer.getByText("Price from").count()).toBe(1)
    }
    const cut = await page
      .locator(".drawer-body, .drawer table td, .drawer .turn")
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML))
    expect(cut).toEqual([])
    expect(await violations(page)).toEqual([])
    await picture(page, `conversation-${look.theme}-${look.width}`)
    visitor.quiet()
    await visitor.close()
  })

  it("names the others of its session with their sums, which are one click away", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto(`/console/requests/${ids[2]}`)
    const drawer = page.locator(".drawer")
    await drawer.getByText("No upstream answered.").waitFor()
    await drawer.getByText(/^3 requests · [\d,]+ tokens in, [\d,]+ out · free$/).waitFor()
    const thread = drawer.getByRole("table", { name: "Conversation" })
    expect(await thread.locator("tbody tr").count()).toBe(3)
    await thread
      .getByRole("link", { name: /finished/ })
      .first()
      .click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/requests/${ids[0]}`)
    await drawer.getByRole("link", { name: "All 3 requests" }).click()
    await expect.poll(() => page.locator("main tbody tr[data-id]").count()).toBe(3)
    await expect.poll(() => page.locator(".head-note").textContent()).toMatch(/^3 requests · /)

    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export" }).click()
    await page.getByRole("menuitem", { name: "Export as JSON lines" }).click()
    const lines = readFileSync(await (await download).path(), "utf8")
      .trimEnd()
      .split("\n")
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(ids.toReversed())
    visitor.quiet()
    await visitor.close()
  })
})
