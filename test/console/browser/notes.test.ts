import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/notes.test.ts")

const counted = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }

/** The model's name says what is wrong with the answer. */
const odd = fakeUpstream("openai-chat", {
  answer: ({ body }) =>
    Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: body.model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi" },
          finish_reason: body.model === "unknown-end" ? "fell_asleep" : "stop"
        }
      ],
      ...(body.model === "estimated"
        ? {}
        : { usage: body.model === "doubted" ? { ...counted, completion_tokens: -4 } : counted })
    })
})
const config = `upstreams: { odd: { protocol: openai-chat, base_url: "${odd.url}/v1" } }
models:
  estimated: { routes: [{ upstream: odd }], price: { input: 1, output: 1 } }
  doubted: { routes: [{ upstream: odd }], price: { input: 1, output: 1 } }
  unknown-end: { routes: [{ upstream: odd }], price: { input: 1, output: 1 } }
  priceless: odd
  plain: { routes: [{ upstream: odd }], price: { input: 1, output: 1 } }
`

let browser: Browser
let gateway: GatewayHere

describe.skipIf(isSkipped)("what is uncertain of a request", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated(config)])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), odd.stop()]))

  /** Once the row of the request is stored. */
  const open = async (page: Page, id: string) => {
    const headers = { authorization: `Bearer ${adminKey}` }
    const status = async () => (await fetch(`${gateway.url}/admin/v1/requests/${id}`, { headers })).status
    await expect.poll(status).toBe(200)
    await page.goto(`/console/requests/${id}`)
  }

  it("is in its drawer, with its meaning", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    const uncertain = page.locator(".drawer").getByRole("table", { name: "Uncertain" })
    for (const [model, note, meaning] of [
      ["estimated", "usage_counted", "the gateway counted the tokens"],
      ["doubted", "usage_doubted", "is impossible and was ignored"],
      ["priceless", "unpriced", "the route has no price: nothing was charged"],
      ["unknown-end", "finish:fell_asleep", "ended for an unknown reason"]
    ] as const) {
      const answer = await request(gateway, "/v1/messages", { body: { model, max_tokens: 50, messages: "Hello" } })
      expect([model, answer.status]).toEqual([model, 200])
      const id = answer.headers.get("request-id") ?? ""
      await answer.text()
      await open(page, id)
      const row = uncertain.getByRole("row").filter({ hasText: meaning })
      await row.waitFor()
      expect(await row.innerText()).toContain(note)
    }
    await picture(page, "request-notes")
    const certain = await request(gateway, "/v1/messages", { body: { model: "plain", max_tokens: 50, messages: "Hi" } })
    await certain.text()
    await open(page, certain.headers.get("request-id") ?? "")
    await page.locator(".drawer tr.sum").waitFor()
    expect(await uncertain.count()).toBe(0)
    visitor.quiet()
    await visitor.close()
  })
})
