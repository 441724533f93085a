import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayProcess } from "../../e2e/process.ts"
import { pagesOfText } from "../../guard/bodies/pdfs.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/playground.test.ts")

let browser: Browser
let gateway: GatewayProcess

const pdf = { name: "receipt.pdf", mimeType: "application/pdf", buffer: Buffer.from(pagesOfText(["One", "Two"])) }

describe.skipIf(isSkipped)("the playground", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it.each(["Messages", "Responses", "Chat"])("streams %s, with a file and a tool", async (family) => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/playground")
    await page.getByRole("button", { name: family, exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-text")
    await page.locator('input[type="file"]').setInputFiles(pdf)
    await page.locator(".file", { hasText: "receipt.pdf" }).waitFor()
    await page.getByLabel("User").fill("What is in this file?")
    await page.getByText("likely free").waitFor()
    await page.keyboard.press("Control+Enter")
    const answer = page.getByRole("region", { name: "Answer" })
    await expect.poll(() => answer.locator(".answer").textContent()).toContain("a PDF of 2 pages")
    await answer.getByText("Tokens in / out").waitFor()

    await page.getByRole("button", { name: "get_weather", exact: true }).first().click()
    await page.getByLabel("User").fill("What is the weather in Oslo?")
    await page.getByRole("button", { name: /^Send/ }).click()
    await answer.getByLabel("Result of get_weather").fill("14 degrees <b>and</b> rain")
    expect(await violations(page)).toEqual([])
    await picture(page, `playground-tool-${family.toLowerCase()}`)
    await answer.getByRole("button", { name: "Send the results" }).click()
    await expect
      .poll(() => answer.locator(".answer .text").last().textContent())
      .toContain("14 degrees <b>and</b> rain")
    for (const tab of ["curl", "Python", "TypeScript"]) {
      await answer.getByRole("tab", { name: tab }).click()
      expect(await answer.locator("pre:visible").textContent()).toContain("sandbox-text")
    }
    visitor.quiet()
    await visitor.close()
  })

  it("makes vectors, tasks and videos, and says what a failure was", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    // Directives of texts are none of videos: what it would cost is refused until the prompt is another.
    visitor.awaits(/status of (429|500)|status of 400 .*\/v1\/quote$/)
    await signIn(page, adminKey)
    await page.goto("/console/playground?family=embeddings")
    const answer = page.getByRole("region", { name: "Answer" })
    const send = page.getByRole("button", { name: /^Send/ })
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-embed")
    await send.click()
    await expect.poll(() => answer.locator(".answer").textContent()).toContain("256")

    await page.getByRole("button", { name: "Message task", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-text")
    await send.click()
    await answer.getByText(/task_\w+/).waitFor()

    await page.getByRole("button", { name: "Messages", exact: true }).click()
    await page.getByRole("button", { name: "error=429" }).click()
    expect(await page.getByLabel("User").inputValue()).toMatch(/^\[\[sandbox: error=429\]\] /)
    await send.click()
    await answer.getByText("rate_limit").first().waitFor()
    await page.getByRole("button", { name: "cut=20" }).click()
    await send.click()
    await expect.poll(() => answer.locator(".status").first().textContent()).toContain("cut")
    await picture(page, "playground-cut")

    await page.getByRole("button", { name: "Video", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-video")
    await page.getByLabel("Prompt").fill("A paper boat")
    await send.click()
    await answer.getByRole("link", { name: "See the task" }).click()
    await page.locator(".drawer video").waitFor()
    visitor.quiet()
    await visitor.close()
  })
})
