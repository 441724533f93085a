import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { usd } from "../../../console/format.ts"
import { adminKey, fitsIn, openBrowser, picture, signIn, startOperated, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"
import { request } from "../../request.ts"

const isSkipped = withoutChromium("test/console/browser/money.test.ts")

/** It says more tokens than were held. */
const lying = fakeUpstream("openai-chat", {
  answer: () => {
    const message = { role: "assistant", content: "Hi" }
    const usage = { prompt_tokens: 9_000, completion_tokens: 1, total_tokens: 9_001 }
    return Response.json({ id: "x", choices: [{ index: 0, message, finish_reason: "stop" }], usage })
  }
})
const config = `upstreams: { lying: { protocol: openai-chat, base_url: "${lying.url}/v1" } }
models:
  filmed: { routes: [{ upstream: sandbox, model: sandbox-video }], price: { per_second: 0.25 } }
  written: { routes: [{ upstream: lying }], price: { input: 1000, output: 1000 } }
`

let browser: Browser
let gateway: GatewayHere
let holder = ""
/** Requests, by their models. */
const ids = { filmed: "", written: "" }

interface Row {
  readonly request_id: string
  readonly model: string | null
  readonly cost_usd: number | null
  readonly upstream_cost_usd: number
  readonly settled_at: string | null
}
const rows = async (): Promise<ReadonlyArray<Row>> => {
  const answer = await request(gateway, "/admin/v1/requests", { key: adminKey })
  return (await answer.json()).data
}

/** A fact of the drawer, by its name. */
const factOf = (page: Page, name: string) =>
  page.locator(".drawer .facts > div").filter({ has: page.locator("dt", { hasText: name }) })

describe.skipIf(isSkipped)("what upstreams cost", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated(config)])
    const { admin, video } = calls(gateway)
    await admin("/accounts", { id: "holder", balance_usd: "12.5" })
    holder = (await admin("/keys", { name: "own", account: "holder" })).secret
    await video("A paper boat", { model: "filmed", duration: 4 }, holder)
    const body = { model: "written", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }
    expect((await request(gateway, "/v1/messages", { body, key: holder })).status).toBe(200)
    while ((await rows()).filter(({ settled_at }) => settled_at !== null).length < 2) await Bun.sleep(20)
    for (const { model, request_id } of await rows()) ids[model === "filmed" ? "filmed" : "written"] = request_id
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), lying.stop()]))

  it.each([1440, 390])("stands beside what was charged, for operators: %d px", async (width) => {
    const visitor = await visit(browser, gateway, { width })
    const { page } = visitor
    const all = await rows()
    const written = all.find(({ request_id }) => request_id === ids.written)
    const cost = written?.cost_usd ?? 0
    const upstreamCost = written?.upstream_cost_usd ?? 0
    expect(cost).toBeGreaterThan(0)
    expect(upstreamCost).toBe(9.001)
    expect(cost).toBeLessThan(1)
    await signIn(page, adminKey)
    const dollars = all.reduce((sum, { upstream_cost_usd }) => sum + upstream_cost_usd, 0)
    await page.locator(".figures", { hasText: `${usd(dollars)} at upstreams` }).waitFor()
    const groups = page.getByRole("table", { name: "Traffic by" })
    await groups.getByRole("columnheader", { name: "At upstreams" }).waitFor()
    const cell = (name: string, head: string) =>
      groups.getByRole("row", { name }).locator(`td[data-head="${head}"]`).textContent()
    const costs = async (name: string) => [await cell(name, "Cost"), await cell(name, "At upstreams")]
    expect(await costs("filmed")).toEqual([usd(1), usd(1)])
    expect(await costs("written")).toEqual([usd(cost), usd(upstreamCost)])
    expect(await fitsIn(page)).toBe(true)
    await picture(page, `money-overview-${width}`)
    await page.goto(`/console/requests/${ids.written}`)
    await factOf(page, "Cost at upstreams")
      .getByText(`$${upstreamCost.toFixed(9)}`)
      .waitFor()
    await page.goto(`/console/requests/${ids.filmed}`)
    const settled = all.find(({ request_id }) => request_id === ids.filmed)?.settled_at ?? ""
    await factOf(page, "Cost settled").locator(`time[datetime="${settled}"]`).waitFor()
    await factOf(page, "Cost at upstreams").getByText("$1.000000000").waitFor()
    await page.locator(".drawer tr.sum", { hasText: "1.000000000" }).waitFor()
    await picture(page, `money-request-${width}`)
    visitor.quiet()
    await visitor.close()
  })

  it("is not shown to account holders, who see when a task's cost was settled", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const answers: Array<Promise<string>> = []
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.startsWith("/v1/") && !response.url().endsWith("/events"))
        answers.push(response.text().catch(() => ""))
    })
    await signIn(page, holder)
    await page.getByRole("table", { name: "Traffic by" }).getByRole("row", { name: "filmed" }).waitFor()
    expect(await page.locator("main").innerText()).not.toMatch(/upstreams/i)
    await page.goto(`/console/requests/${ids.filmed}`)
    await factOf(page, "Cost settled").waitFor()
    await page.locator(".drawer tr.sum", { hasText: "1.000000000" }).waitFor()
    expect(await page.locator(".drawer").innerText()).not.toContain("at upstreams")
    expect((await Promise.all(answers)).join("")).not.toContain("upstream_cost")
    visitor.quiet()
    await visitor.close()
  })
})
