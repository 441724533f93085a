import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { pagesOfText } from "../../guard/bodies/pdfs.ts"
import {
  adminKey,
  fitsIn,
  openBrowser,
  picture,
  signIn,
  startOperated,
  violations,
  visit,
  withoutChromium
} from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/playground.test.ts")

/** A model of the sandbox that costs something, and one of an upstream that is not there. */
const config = `upstreams:
  away: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: away-secret }
models:
  house: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 2, output: 4 } }
  elsewhere: { routes: [{ upstream: away, model: far }], price: { input: 2, output: 4 } }
`

let browser: Browser
let gateway: GatewayHere

const pdf = { name: "receipt.pdf", mimeType: "application/pdf", buffer: Buffer.from(pagesOfText(["One", "Two"])) }

describe.skipIf(isSkipped)("the playground", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated(config)])
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
    await page.locator(".quote", { hasText: /^free( · [\d,]+ tokens in)?$/ }).waitFor()
    await page.keyboard.press("Control+Enter")
    const answer = page.getByRole("region", { name: "Answer" })
    await expect.poll(() => answer.locator(".answer").textContent()).toContain("a PDF of 2 pages")
    await answer.getByText(/tok in, \d+ out · free/).waitFor()
    expect(await page.getByLabel("User").inputValue()).toBe("")

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
    // Every turn before is sent too, and is shown as code.
    expect(await answer.locator(".exchange").count()).toBe(3)
    await answer.getByText(/^3 turns · /).waitFor()
    await page.reload()
    await expect.poll(() => answer.locator(".exchange").count()).toBe(3)
    await page.getByLabel("User").fill("And tomorrow?")
    await page.getByRole("button", { name: /^Send/ }).click()
    await expect.poll(() => answer.locator(".exchange").count()).toBe(4)
    await answer.getByText(/^4 turns · /).waitFor()
    for (const tab of ["curl", "Python", "TypeScript"]) {
      await answer.getByRole("tab", { name: tab }).click()
      expect(await answer.locator("pre:visible").textContent()).toContain("sandbox-text")
    }
    visitor.quiet()
    await visitor.close()
  })

  it("draws and speaks, and shows both", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/playground?family=images")
    const answer = page.getByRole("region", { name: "Answer" })
    const send = page.getByRole("button", { name: /^Send/ })
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-image")
    await page.getByLabel("Prompt").fill("A red fox in the snow")
    await page.getByLabel("Size").selectOption("1536x1024")
    await send.click()
    const image = answer.getByRole("img", { name: "Image 1" })
    await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1_536)
    await answer.getByText(/tok in, [\d,]+ out · free/).waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "playground-image")

    await page.getByRole("button", { name: "Speech", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-speech")
    await page.getByLabel("Input").fill("Hello from the sandbox")
    await send.click()
    const sound = answer.getByLabel("Speech", { exact: true })
    await expect.poll(() => sound.evaluate((one: HTMLAudioElement) => one.duration)).toBeGreaterThan(0.5)
    await answer.getByText(/free/).waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "playground-speech")
    await page.getByRole("button", { name: "Transcription", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-transcribe")
    await page.getByLabel("Prompt").fill("Oslo")
    const file = { name: "a.wav", mimeType: "audio/wav", buffer: Buffer.alloc(1_000) }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.locator(".file", { hasText: "a.wav" }).waitFor()
    await send.click()
    await expect.poll(() => answer.locator(".answer .text").textContent()).toMatch(/^Sound of .* in 1000 bytes\. Oslo$/)
    expect(await violations(page)).toEqual([])
    await picture(page, "playground-transcription")
    await page.getByRole("button", { name: "Images", exact: true }).click()
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-image")
    await page.getByLabel("Prompt").fill("A hen")
    await send.click()
    await image.waitFor()
    // What it made is not kept with the page.
    await page.reload()
    await expect.poll(() => answer.locator(".exchange").count()).toBe(1)
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
    // Longer than the page's pause between two looks.
    await page.getByLabel("Prompt").fill("[[sandbox: render=3s]] A paper boat")
    await send.click()
    await answer.getByText("running").waitFor()
    await answer.locator("video").waitFor()
    await answer.getByText(/free/).waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "playground-video")
    await answer.getByRole("link", { name: "See the task" }).click()
    await page.locator(".drawer video").waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it.each([
    { tag: "light-1440", width: 1440, height: 900 },
    { tag: "dark-1024", width: 1024, height: 800, theme: "dark" as const },
    { tag: "light-390", width: 390, height: 844 }
  ])("compares two models, stops, and begins anew with another family: $tag", async ({ tag, ...look }) => {
    const visitor = await visit(browser, gateway, look)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/playground")
    await page.getByRole("button", { name: "Compare" }).click()
    const send = page.getByRole("button", { name: /^Send/ })
    const lanes = page.getByRole("region", { name: "Answer" }).getByRole("group")
    await page.getByLabel("Second model").selectOption("house")
    await page.getByLabel("User").fill("[[sandbox: tokens=30]] Compare")
    await send.click()
    await expect
      .poll(() =>
        lanes
          .locator(".exchange-figures")
          .getByText(/30 out/)
          .count()
      )
      .toBe(2)
    await expect.poll(() => lanes.nth(1).locator(".exchange-figures").textContent()).toMatch(/\$0\.\d+/)
    expect(await lanes.nth(0).locator(".exchange-figures").textContent()).toContain("free")
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, `playground-two-${tag}`)
    expect(page.url()).toContain("beside=house")

    // A stop keeps what was said; the question is not lost.
    await page.getByRole("button", { name: "One model" }).click()
    await page.getByLabel("User").fill("[[sandbox: tokens=500 pace=50ms]] Slow")
    await send.click()
    await page.locator(".streaming").waitFor()
    await page.keyboard.press("Control+Enter")
    await page.getByText("stopped").waitFor()
    await send.waitFor()

    // Calls that wait for results belong to their family.
    await page.getByRole("button", { name: "get_weather", exact: true }).first().click()
    await page.getByLabel("System").fill("Be brief.")
    await page.getByLabel("User").fill("[[sandbox: tool=get_weather]] Weather?")
    await send.click()
    await page.getByRole("button", { name: "Send the results" }).waitFor()
    await page.getByRole("button", { name: "Chat", exact: true }).click()
    await page.getByRole("button", { name: "Send the results" }).waitFor({ state: "detached" })
    expect(await page.getByLabel("System").inputValue()).toBe("Be brief.")
    expect(await page.getByLabel("User").inputValue()).toContain("Weather?")
    expect(
      await page.getByRole("button", { name: "get_weather", exact: true }).first().getAttribute("aria-pressed")
    ).toBe("true")
    await page.getByRole("button", { name: "error=429" }).waitFor()
    await page.getByLabel("Model", { exact: true }).selectOption("elsewhere")
    await page.getByRole("button", { name: "error=429" }).waitFor({ state: "detached" })
    visitor.quiet()
    await visitor.close()
  })
})
