import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
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

const isSkipped = withoutChromium("test/console/browser/models.test.ts")

/** An upstream that lists its models, and answers one of them. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    asked.push(new URL(request.url).pathname)
    if (request.url.endsWith("/models")) return Response.json({ object: "list", data: [{ id: "gpt-5" }, { id: "x" }] })
    const sent: { readonly model: string } = JSON.parse(await request.text())
    if (sent.model === "x") return Response.json({ error: { message: "no such model" } }, { status: 404 })
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: sent.model,
      choices: [{ index: 0, finish_reason: "length", message: { role: "assistant", content: "H" } }],
      usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 }
    })
  }
})
const asked: Array<string> = []

const config = `upstreams:
  near: { protocol: openai-chat, base_url: "http://127.0.0.1:${upstream.port}/v1", api_key: near-secret }
  far: { protocol: anthropic-messages, base_url: "http://127.0.0.1:1/v1", api_key: far-secret }
models:
  gpt-5: near
  house: { routes: [{ upstream: far, model: claude-sonnet-4-5 }, { upstream: near, model: gpt-5 }], price: { input: 2, output: 4 }, context: 200000 }
  drawer: { kind: image, routes: [{ upstream: near, model: x }], price: { per_image: { high/*: 0.167, "*": 0.04 } } }
  unpriced-model: { routes: [{ upstream: near, model: x }] }
`

let browser: Browser
let gateway: GatewayHere

describe.skipIf(isSkipped)("the models in the console", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated(config)])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), upstream.stop(true)]))

  it("say where they run, what they cost and who says so, what they take, and whether they answer", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    visitor.awaits(/status of (4|5)\d\d/)
    await signIn(page, adminKey)
    await page.goto("/console/models")
    const table = page.getByRole("table", { name: "Models" })
    const row = (name: string) => table.getByRole("row").filter({ has: page.locator("b", { hasText: name }) })
    await table.waitFor()
    expect(await row("gpt-5").textContent()).toMatch(/images, .*near gpt-5.*\$1\.25 in.*public list \d{4}-\d\d-\d\d/)
    expect(await row("house").textContent()).toMatch(
      /1 far claude-sonnet-4-5.*2 near gpt-5.*\$2\.00 in · \$4\.00 out.*gateway\.yaml.*200,000 tok/
    )
    expect(await row("house").textContent()).toContain("images, PDF, tools, web search")
    expect(await row("drawer").textContent()).toContain("up to $0.167 an image")
    expect(await row("unpriced-model").textContent()).toMatch(/unpriced.*nowhere/)
    expect(await row("sandbox-video").textContent()).toMatch(/free.*built in.*4–15 s, 480p 720p 1080p/)
    await page.getByText("An unpriced model costs nothing here").waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "models-full")

    // One request is used: seen beside its price, and found by a search.
    await row("sandbox-text").getByRole("button", { name: "Test now" }).click()
    await expect.poll(() => row("sandbox-text").locator(".status.well").count()).toBe(1)
    // Its row and its cost are written a moment after its answer, and the page asks once.
    await expect
      .poll(async () => {
        const headers = { authorization: `Bearer ${adminKey}` }
        const answer = await fetch(`${gateway.url}/admin/v1/models?since=7d`, { headers })
        const { data } = await answer.json()
        return JSON.stringify(data.find(({ id }: { readonly id: string }) => id === "sandbox-text"))
      })
      .toMatch(/"requests":1,.*"input_tokens":[1-9]/)
    await page.getByLabel("Use of 24 h").selectOption("7d")
    await expect.poll(() => row("sandbox-text").textContent()).toMatch(/1no errors.*free\d+ tok0 % cached/)
    expect(await row("sandbox-text").locator(".status.well").count()).toBe(1)
    await page.keyboard.press("/")
    await page.keyboard.type("near gpt")
    await page.keyboard.press("Enter")
    await expect.poll(() => table.locator("tbody tr").count()).toBe(2)
    expect(page.url()).toContain("q=near+gpt")
    await page.getByLabel("Any kind").selectOption("video")
    await page.getByText("No served model has these words").waitFor()
    await picture(page, "models-none")
    await page.getByRole("button", { name: "Clear filters" }).click()
    await expect.poll(() => table.locator("tbody tr").count()).toBeGreaterThan(4)

    const dialog = page.getByRole("dialog")
    asked.length = 0
    await row("gpt-5").getByRole("button", { name: "Test now" }).click()
    await dialog.getByText(/spends at most \$0\.000\d+/).waitFor()
    await picture(page, "models-test")
    expect(asked).toEqual([])
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect(asked).toEqual([])
    await row("gpt-5").getByRole("button", { name: "Test now" }).click()
    await dialog.getByRole("button", { name: "Send it" }).click()
    await expect.poll(() => row("gpt-5").locator(".status.well").count()).toBe(1)
    expect(asked).toEqual(["/v1/chat/completions"])

    // A model without a price may cost money at its upstream: its test needs a confirmation.
    await row("unpriced-model").getByRole("button", { name: "Test now" }).click()
    await dialog.getByText("its upstream may charge for it").waitFor()
    await dialog.getByRole("button", { name: "Send it" }).click()
    await expect.poll(() => row("unpriced-model").locator(".status.bad").textContent()).toContain("400")

    const upstreams = page.getByRole("table", { name: "Upstreams" })
    await upstreams.getByRole("button", { name: "Test now: near" }).click()
    await upstreams.getByText(/^2 models, /).waitFor()
    expect(asked.at(-1)).toBe("/v1/models")
    await upstreams.getByRole("button", { name: "Test now: far" }).click()
    await expect.poll(() => upstreams.getByRole("row", { name: /^far/ }).locator(".status.bad").count()).toBe(1)
    await page.getByRole("button", { name: "Test all" }).click()
    await dialog.getByText("to each of 4 models").waitFor()
    await dialog.getByText("Without a price here: 1 of them").waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    visitor.quiet()
    await visitor.close()
  })

  it.each([390, 900, 1100])("fit a window of %i", async (width) => {
    const visitor = await visit(browser, gateway, { width, height: 844 })
    await signIn(visitor.page, adminKey)
    await visitor.page.goto("/console/models")
    await visitor.page.getByRole("table", { name: "Models" }).waitFor()
    expect(await fitsIn(visitor.page)).toBe(true)
    // No head and no route runs into what is beside it.
    const table = visitor.page.getByRole("table", { name: "Models" })
    const narrow = await table
      .locator(width === 390 ? "td:nth-child(2)" : "th, td:nth-child(1)")
      .evaluateAll((all) =>
        all.flatMap((one) =>
          one.checkVisibility() && (one.clientWidth < 60 || one.scrollWidth > one.clientWidth) ? [one.textContent] : []
        )
      )
    expect(narrow).toEqual([])
    {
      const sideways = await visitor.page
        .locator(".sideways")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
      expect(sideways).toBe(0)
    }
    await picture(visitor.page, `models-${width}`)
    visitor.quiet()
    await visitor.close()
  })
})
