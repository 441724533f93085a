import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { allow, hideNames, secret, startHook } from "../../guardrails/startGuarded.ts"
import { request } from "../../request.ts"
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

const isSkipped = withoutChromium("test/console/browser/guardrails.test.ts")

const hook = startHook()
const settings = {
  guardrails: {
    pii: { url: hook.url, secret, mode: "redact" },
    words: { url: hook.url, secret, on: ["input"] }
  },
  models: {
    house: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], guardrails: ["pii", "words"] }
  },
  accounts: { team: { guardrails: ["words"] } },
  keys: [{ name: "desk", secret: "desk-secret-0123456789-0123", account: "team", guardrails: ["pii"] }]
}

const looks = [
  { tag: "1440-light", theme: "light", width: 1440, height: 900 },
  { tag: "1440-dark", theme: "dark", width: 1440, height: 900 },
  { tag: "1024-light", theme: "light", width: 1024, height: 768 },
  { tag: "1024-dark", theme: "dark", width: 1024, height: 768 },
  { tag: "390", theme: "light", width: 390, height: 844 }
] as const

describe.skipIf(isSkipped)("guardrails in the console", () => {
  let browser: Browser
  let gateway: GatewayHere
  let allowed: string
  let blocked: string
  beforeAll(async () => {
    const config = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated(config.join(""))])
    const ask = async (content: string) => {
      const body = { model: "house", messages: [{ role: "user", content }], stream: true }
      const answer = await request(gateway, "/v1/chat/completions", { body, key: "desk-secret-0123456789-0123" })
      await answer.text()
      return answer.headers.get("x-request-id") ?? ""
    }
    hook.answers((asked) => (asked.guardrail === "words" ? allow() : hideNames(asked)))
    allowed = await ask("[[sandbox: pace=10ms]] Greet Ann Lee. Then greet Ann Lee once more! And then go home.")
    hook.answers((asked) =>
      asked.guardrail === "words"
        ? Response.json({ verdict: "block", message: "Not that word", reason: "password" })
        : hideNames(asked)
    )
    blocked = await ask("The password of Ann Lee is hunter2")
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), hook.stop()]))

  it("are told of a request, of what was blocked, and of models, accounts and keys", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey, `/console/requests/${allowed}`)
    const told = page.getByRole("table", { name: "Guardrails" })
    await expect.poll(() => told.getByRole("row").count()).toBe(3)
    const rows = (await told.getByRole("row").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))
    expect(rows).toEqual([
      expect.stringMatching(/^pii \d+ ?ms on the request replaced$/),
      expect.stringMatching(/^words \d+ ?ms on the request$/),
      expect.stringMatching(/^pii \d+ ?ms on the answer \d+ calls$/)
    ])
    await page.goto(`/console/requests/${blocked}`)
    await expect.poll(() => told.innerText()).toContain("blocked")
    expect(await page.locator(".drawer").innerText()).toContain("A guardrail blocked a text.")

    await page.goto("/console/audit?action=guardrail")
    await page.getByText("guardrail.block").first().click()
    const drawer = page.locator(".drawer")
    await expect.poll(() => drawer.innerText()).toContain("password")
    expect(await drawer.innerText()).toContain("guardrail:words")
    expect(await drawer.innerText()).toContain(blocked)

    await page.goto("/console/models?q=house")
    await expect.poll(() => page.locator("#main").innerText()).toContain("guardrails pii, words")
    await page.goto("/console/accounts/team")
    await expect.poll(() => page.locator("#main").innerText()).toContain("words")
    await page.goto("/console/keys?q=desk")
    await page.getByText("desk").first().click()
    await expect.poll(() => drawer.innerText()).toContain("pii")
    visitor.quiet()
    await visitor.close()
  })

  it.each(looks)("fit the page at $tag, and pass axe", async ({ tag, ...look }) => {
    const visitor = await visit(browser, gateway, look)
    const { page } = visitor
    await signIn(page, adminKey, `/console/requests/${blocked}`)
    await page.getByRole("table", { name: "Guardrails" }).waitFor()
    expect(await fitsIn(page)).toBe(true)
    expect(await violations(page)).toEqual([])
    await picture(page, `guardrails-request-${tag}`)
    await page.goto("/console/models?q=house")
    await page.getByText("guardrails pii, words").first().waitFor()
    await picture(page, `guardrails-models-${tag}`)
    await page.goto("/console/audit?action=guardrail")
    await page.getByText("guardrail.block").first().waitFor()
    await picture(page, `guardrails-audit-${tag}`)
    visitor.quiet()
    await visitor.close()
  })
})
