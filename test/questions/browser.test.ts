import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Locator, Page } from "playwright-core"
import { usd } from "../../console/format.ts"
import {
  adminKey,
  openBrowser,
  picture,
  signIn,
  violations,
  visit,
  withoutChromium
} from "../console/browser/browser.ts"
import { request } from "../request.ts"
import { storeWeek, thisMonth, whyThoseFailed, yesterday } from "./week.ts"
import type { Week } from "./week.ts"

const isSkipped = withoutChromium("test/questions/browser.test.ts")

let browser: Browser
let week: Week
/** An operator's page: it is signed in once, and each question begins at its first page, as if nothing had been chosen. */
let visitor: Awaited<ReturnType<typeof visit>>

/** The ways of an operator: each is a step. */
class Steps {
  taken = 0
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }
  /** Opens a page by the navigation. */
  async open(name: string): Promise<void> {
    this.taken++
    await this.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click()
    await this.page.locator("main h1", { hasText: name }).waitFor()
  }
  async click(what: Locator): Promise<void> {
    this.taken++
    await what.click()
  }
  async choose(select: string, option: string): Promise<void> {
    this.taken++
    await this.page.getByRole("combobox", { name: select, exact: true }).selectOption(option)
  }
  async search(text: string): Promise<void> {
    this.taken++
    await this.page.locator("#search").fill(text)
    await this.page.locator("#search").press("Enter")
  }
}

const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true })
const cell = (row: Locator, head: string) => row.locator(`td[data-head="${head}"]`)
const drawer = (page: Page) => page.locator(".drawer")

/** Dollars of the ledger as the console shows them. */
const spent = (where?: string): string => usd(week.ledger("cost_nano_usd", where) / 1e9)

/** The status of a request with a key. */
const ask = async (secret: string, model: string): Promise<number> => {
  const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] }
  const answer = await request(week.gateway, "/v1/chat/completions", { key: secret, body })
  await answer.text()
  return answer.status
}

/**
 * A question of an operator who has just signed in.
 *
 * @param find leads, in two steps at most, to the answer, or to where something is done
 * @param act does it: a form or a button, with its confirmation
 */
const question = (
  name: string,
  find: (steps: Steps, page: Page) => Promise<void>,
  act?: (page: Page) => Promise<void>
): void =>
  it(name, async () => {
    const { page } = visitor
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await page.goto("/console")
    await page.getByRole("navigation", { name: "Console" }).waitFor()
    const steps = new Steps(page)
    await find(steps, page)
    expect(steps.taken).toBeLessThanOrEqual(2)
    expect(await violations(page)).toEqual([])
    await picture(page, `question-${name.replaceAll(/\W+/g, "-")}`)
    await act?.(page)
    if (act !== undefined) expect(await violations(page)).toEqual([])
    visitor.quiet()
  })

describe.skipIf(isSkipped)("an operator's questions, each in two steps of the console", () => {
  beforeAll(async () => {
    ;[browser, week] = await Promise.all([openBrowser(), storeWeek()])
    visitor = await visit(browser, week.gateway)
    await signIn(visitor.page, adminKey)
  }, 180_000)
  afterAll(() => Promise.all([browser.close(), week.dispose()]))

  question("who spent most yesterday, and on what?", async (steps, page) => {
    await steps.click(page.getByRole("button", { name: "Yesterday" }))
    await steps.choose("Traffic by", "account,model")
    const first = table(page, "Traffic by").locator("tbody tr").first()
    await expect.poll(() => cell(first, "Model").textContent()).toBe("smart")
    await expect.poll(() => cell(first, "Cost").textContent()).toBe(spent(`model = 'smart' AND ${yesterday}`))
    expect(await cell(first, "Account").textContent()).toBe("research")
    expect(await cell(first, "Requests").textContent()).toBe("24")
    const all = table(page, "Traffic by").locator("tbody tr").last()
    expect(await cell(all, "Cost").textContent()).toBe(spent(yesterday))
  })

  question("why did it fail?", async (steps, page) => {
    await steps.open("Requests")
    await steps.search(week.failed)
    await drawer(page).getByText("The request itself was wrong.").waitFor()
    expect(await drawer(page).locator("h1, h2").first().textContent()).toContain("400")
    await drawer(page).getByText("this prompt is impossible").first().waitFor()
    const calls = await drawer(page).locator(".waterfall").first().innerText()
    expect(calls).toMatch(/shaky[\s\S]*near/)
  })

  for (const { code, why } of whyThoseFailed) {
    question(`why did it fail? ${code}`, async (steps, page) => {
      await steps.open("Requests")
      await steps.search(week.failures[code])
      await drawer(page).getByText(why).waitFor()
    })
  }

  question("which upstream is slow?", async (steps, page) => {
    await steps.click(page.getByRole("button", { name: "7 d", exact: true }))
    const of = (name: string) => table(page, "Upstreams").getByRole("row", { name })
    await expect.poll(() => cell(of("shaky"), "Calls").textContent()).toBe("14")
    const p95 = async (name: string) => Number.parseFloat((await cell(of(name), "p95").textContent()) ?? "")
    expect(await p95("far")).toBeGreaterThanOrEqual(300)
    expect(await p95("near")).toBeLessThan(300)
    expect(await cell(of("shaky"), "Hidden").textContent()).toBe("7")
  })

  question("what is slower than last week, and where?", async (steps, page) => {
    await steps.click(page.getByRole("button", { name: "7 d", exact: true }))
    await steps.choose("Traffic by", "upstream")
    const of = (name: string) => table(page, "Traffic by").getByRole("row", { name })
    const ms = async (name: string, head: string) => Number.parseFloat((await cell(of(name), head).textContent()) ?? "")
    await expect.poll(() => ms("far", "p95 before")).toBeLessThan(300)
    expect(await ms("far", "p95")).toBeGreaterThanOrEqual(300)
    expect(await ms("near", "p95 before")).toBe(await ms("near", "p95"))
  })

  question("who is near a budget?", async (_, page) => {
    const used = week.ledger("cost_nano_usd", `key_id = '${week.keys.notebook.id}' AND ${thisMonth}`) / 1e9
    const problem = page.locator(".attention li", { hasText: "notebook" })
    await problem.waitFor()
    expect(await problem.textContent()).toContain(
      `key notebook of research has used 90 % of its budget of ${usd(used * 1.1)} per month`
    )
    expect(await problem.getByRole("link").getAttribute("href")).toBe(`/console/keys/${week.keys.notebook.id}`)
  })

  question("what did this key do?", async (steps, page) => {
    await steps.choose("Traffic by", "key,model")
    const ofKey = table(page, "Traffic by").getByRole("row", { name: "support-bot" })
    await expect.poll(() => cell(ofKey.first(), "Model").textContent()).toBe("steady")
    expect(await cell(ofKey.first(), "Requests").textContent()).toBe("13")
    await steps.click(ofKey.first().getByRole("link", { name: "support-bot" }))
    const cost = spent(`key_id = '${week.keys.bot.id}' AND instr(request_id, '-') = 0`)
    await expect.poll(() => page.locator(".head-note").textContent()).toContain(`16 requests · ${cost}`)
    await expect.poll(() => page.locator("main tbody tr[data-id]").count()).toBe(16)
  })

  question("which callbacks are stuck?", async (steps, page) => {
    await steps.open("Tasks")
    await steps.choose("Any callback", "stuck")
    const rows = page.locator("main tbody tr[data-id]")
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.getAttribute("data-id")).toBe(week.task)
    expect(await cell(rows, "Callbacks").textContent()).toMatch(/^stuck (in \d+ (s|min)|tried now)/)
  })

  question("what would moving this traffic cost?", async (steps, page) => {
    await steps.click(page.getByRole("button", { name: "7 d", exact: true }))
    await steps.choose("Model", "cheap")
    const there = week.ledger(
      "(input_tokens + cache_read_tokens) * 0.2 + output_tokens * 0.8",
      "model IN ('smart', 'steady', 'cheap')"
    )
    await page.getByText(`${spent()} was charged; ${usd(there / 1e6)} on cheap`).waitFor()
  })

  question("what changed in the configuration, and who did it?", async (steps, page) => {
    await steps.open("Audit")
    await steps.choose("Any change", "configuration")
    const rows = page.locator("main tbody tr[data-id]")
    await expect.poll(() => rows.count()).toBe(1)
    expect(await cell(rows, "Who").textContent()).toBe("gateway.yaml")
    expect(await cell(rows, "Changed").textContent()).toContain("models.cheap.price.input 0.1 → 0.2")
  })

  question("what was said in the conversation that went wrong?", async (steps, page) => {
    await steps.open("Requests")
    await steps.search(week.conversation.at(-1) ?? "")
    const said = drawer(page).locator(".turns")
    await said.getByText("An impossible wish").waitFor()
    await said.getByText("Answer to Book a table for two").waitFor()
    const ofIt = `request_id IN ('${week.conversation.join("', '")}')`
    await drawer(page)
      .getByText(new RegExp(`^3 requests · .* · \\${spent(ofIt)}$`))
      .waitFor()
    await drawer(page).getByText("this prompt is impossible").first().waitFor()
  })

  question(
    "rotate a leaked key",
    async (steps, page) => {
      await steps.open("Keys")
      await steps.search(week.keys.bot.secret)
      await drawer(page).getByText("support-bot").first().waitFor()
      expect(page.url()).not.toContain("gw_")
      await drawer(page)
        .getByText(spent(`key_id = '${week.keys.bot.id}'`))
        .first()
        .waitFor()
    },
    async (page) => {
      await drawer(page).getByRole("button", { name: "Rotate secret" }).click()
      await page.locator("dialog").getByRole("button", { name: "Rotate secret" }).click()
      const fresh = (await page.locator(".secret code").textContent()) ?? ""
      expect(await ask(week.keys.bot.secret, "steady")).toBe(401)
      expect(await ask(fresh, "steady")).toBe(200)
    }
  )

  question(
    "a monthly budget for a team",
    async (steps, page) => {
      await steps.open("Accounts")
      await steps.click(page.locator('main tbody tr[data-id="studio"]'))
      await page.getByRole("button", { name: "Edit budgets" }).waitFor()
    },
    async (page) => {
      await page.getByRole("button", { name: "Edit budgets" }).click()
      await page.getByLabel("USD a month").fill("100")
      await page.locator("dialog").getByRole("button", { name: "Save changes" }).click()
      const used = spent(`account_id = 'studio' AND ${thisMonth}`)
      await table(page, "Budgets").getByText(`${used} of $100.00 a month`).waitFor()
    }
  )

  question(
    "a number of requests a day",
    async (steps, page) => {
      await steps.open("Accounts")
      await steps.click(page.locator('main tbody tr[data-id="studio"]'))
      await page.getByRole("button", { name: "Edit budgets" }).waitFor()
    },
    async (page) => {
      await page.getByRole("button", { name: "Edit budgets" }).click()
      await page.getByLabel("Requests a day").fill("1")
      await page.locator("dialog").getByRole("button", { name: "Save changes" }).click()
      await table(page, "Budgets").getByText("0 of 1 requests a day").waitFor()
      expect(await ask(week.keys.storyboards.secret, "cheap")).toBe(200)
      expect(await ask(week.keys.storyboards.secret, "cheap")).toBe(429)
    }
  )

  question(
    "block a model for an account",
    async (steps, page) => {
      await steps.open("Accounts")
      await steps.click(page.locator('main tbody tr[data-id="research"]'))
      await page.getByRole("button", { name: "Block steady" }).waitFor()
    },
    async (page) => {
      await page.getByRole("button", { name: "Block steady" }).click()
      await page.getByText("blocked by steady").waitFor()
      expect(await ask(week.keys.notebook.secret, "steady")).toBe(403)
      expect(await ask(week.keys.notebook.secret, "cheap")).toBe(200)
    }
  )
})
