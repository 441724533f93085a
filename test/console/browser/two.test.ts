import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, violations, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"
import { request } from "../../request.ts"

const isSkipped = withoutChromium("test/console/browser/two.test.ts")

let browser: Browser
let gateway: GatewayHere

const twoOperators = async () => {
  const both = await Promise.all([visit(browser, gateway), visit(browser, gateway)])
  await Promise.all(both.map(({ page }) => signIn(page, adminKey)))
  return both
}

const group = (page: Page, name: string) => page.getByRole("dialog").getByRole("group", { name, exact: true })

describe.skipIf(isSkipped)("two operators at once", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startOperated()])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it("see each other's changes without a reload, on every page that shows them", async () => {
    const [one, other] = await twoOperators()
    const { admin } = calls(gateway)
    await one.page.goto("/console/keys")
    await one.page.locator("main tbody tr[data-id]").first().waitFor()
    const made = await admin("/keys", { name: "seen at once", account: "default" })
    await expect.poll(() => one.page.locator("main").textContent()).toContain("seen at once")
    await admin(`/keys/${made.key.id}/revoke`)
    const row = one.page.locator(`tr[data-id="${made.key.id}"]`)
    await expect.poll(() => row.textContent()).toContain("revoked")
    await other.page.goto("/console/accounts")
    await other.page.getByRole("table", { name: "Accounts" }).waitFor()
    await admin("/accounts", { id: "seen", balance_usd: "3" })
    await expect.poll(() => other.page.locator("main").textContent()).toContain("seen")
    await admin("/accounts/seen/credit", { usd: "4" })
    await expect.poll(() => other.page.locator("main").textContent()).toContain("$7.00")
    await one.page.goto("/console/tasks")
    await one.page.getByRole("heading", { name: "No tasks yet" }).waitFor()
    await one.page.getByRole("button", { name: "Live" }).click()
    await calls(gateway).video("[[sandbox: queue=1h]] A paper boat")
    await expect.poll(() => one.page.locator("main tbody tr[data-id]").count()).toBe(1)
    one.quiet()
    other.quiet()
    await Promise.all([one.close(), other.close()])
  })

  it("choose from both states of a key that the other was faster with", async () => {
    const [one, other] = await twoOperators()
    const { admin } = calls(gateway)
    const made = await admin("/keys", { name: "shared", account: "default", limits: { requests_per_minute: 10 } })
    const drawer = one.page.locator(".drawer")
    for (const { page } of [one, other]) {
      await page.goto(`/console/keys/${made.key.id}`)
      await page.locator(".drawer").getByRole("button", { name: "Edit limits" }).click()
      await page.getByRole("dialog").waitFor()
    }
    one.awaits(/status of 409/)
    const theirs = other.page.getByRole("dialog")
    await theirs.getByLabel("Requests a minute").fill("77")
    await theirs.getByLabel("Tokens a minute").fill("5000")
    await theirs.getByRole("button", { name: "Save changes" }).click()
    await expect.poll(() => drawer.textContent()).toContain("77 rpm")

    const mine = one.page.getByRole("dialog")
    await mine.getByLabel("Requests a minute").fill("33")
    await mine.getByLabel("Name").fill("shared by two")
    await mine.getByRole("button", { name: "Save changes" }).click()
    await mine.getByText("Another user has changed this meanwhile.").waitFor()
    // What only the other has changed is taken as it is stored; what both have changed is asked.
    await expect.poll(() => mine.getByLabel("Tokens a minute").inputValue()).toBe("5000")
    expect(await group(one.page, "Tokens a minute").getByLabel("Stored now: 5000").isChecked()).toBe(true)
    expect(await group(one.page, "Requests a minute").getByLabel("Yours: 33").isChecked()).toBe(true)
    expect(await group(one.page, "Requests a minute").textContent()).toContain("77")
    expect(await group(one.page, "Models").count()).toBe(0)
    expect(await violations(one.page)).toEqual([])
    await picture(one.page, "stale-key")
    await group(one.page, "Requests a minute").getByLabel("Stored now: 77").check()
    expect(await mine.getByLabel("Requests a minute").inputValue()).toBe("77")
    await mine.getByRole("button", { name: "Save changes" }).click()
    await mine.waitFor({ state: "detached" })
    await expect.poll(() => drawer.textContent()).toContain("77 rpm · 5,000 tpm")
    await expect.poll(() => drawer.textContent()).toContain("shared by two")
    // An open form is not overwritten: the other's is the older one now.
    await expect.poll(() => other.page.locator(".drawer").textContent()).toContain("shared by two")
    one.quiet()
    other.quiet()
    await Promise.all([one.close(), other.close()])
  })

  it("choose from both states of an account, by keyboard alone", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const { admin } = calls(gateway)
    await admin("/accounts", { id: "both", limits: { requests_per_minute: 5 } })
    await signIn(page, adminKey)
    await page.goto("/console/accounts/both")
    const main = page.locator("main")
    await page.getByRole("button", { name: "Edit settings", exact: true }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").getByLabel("Requests a minute").waitFor()
    await page.keyboard.press("Control+A")
    await page.keyboard.type("9")
    visitor.awaits(/status of 409/)
    await request(gateway, "/admin/v1/accounts/both", {
      method: "PATCH",
      body: { limits: { requests_per_minute: 7 } },
      key: adminKey
    })
    await page.keyboard.press("Enter")
    await group(page, "Requests a minute").waitFor()
    // The focus is on the choice; the arrow takes the other state, Enter saves.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("radio")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await expect.poll(() => main.textContent()).toContain("9 rpm")
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Edit settings")
    visitor.quiet()
    await visitor.close()
  })

  it("ask nothing more about an account that is deleted, by themselves or by the other", async () => {
    const [one, other] = await twoOperators()
    const { admin } = calls(gateway)
    await admin("/accounts", { id: "going" })
    await admin("/accounts/going/suspend")
    const read: Array<string> = []
    for (const { page } of [one, other]) {
      await page.goto("/console/accounts/going")
      await page.locator("main").getByRole("heading", { name: "Changes" }).waitFor()
    }
    await Promise.all([one.idle(), other.idle()])
    const reads = (page: Page) =>
      page.on("request", (request) => {
        if (request.method() === "GET" && request.url().includes("going")) read.push(new URL(request.url()).pathname)
      })
    reads(one.page)
    // The answer comes once the page has heard of the deletion.
    await one.page.route("**/accounts/going", async (route) => {
      if (route.request().method() !== "DELETE") return route.continue()
      const answer = await route.fetch()
      await other.page.getByText("There is no such account.").waitFor()
      await route.fulfill({ response: answer })
    })
    // What the other has is gone before it knows.
    other.awaits(/status of 404/)
    await one.page.getByRole("button", { name: "More for going" }).click()
    await one.page.getByRole("menuitem", { name: "Delete account" }).click()
    const dialog = one.page.getByRole("dialog")
    await dialog.getByLabel("Type going to delete it").fill("going")
    await one.page.keyboard.press("Enter")
    await one.page.getByRole("table", { name: "Accounts" }).waitFor()
    await one.idle()
    expect(read).toEqual([])
    // Later changes of accounts.
    await other.idle()
    reads(other.page)
    await admin("/accounts", { id: "coming" })
    await one.page.getByRole("table", { name: "Accounts" }).getByText("coming").waitFor()
    await other.idle()
    expect(read).toEqual([])
    one.quiet()
    other.quiet()
    await Promise.all([one.close(), other.close()])
  })

  it("go on with an account that could not be deleted", async () => {
    const { admin } = calls(gateway)
    await admin("/accounts", { id: "staying" })
    await admin("/accounts/staying/suspend")
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/accounts/staying")
    await page.route("**/accounts/staying", async (route) => {
      if (route.request().method() !== "DELETE") return route.continue()
      await admin("/accounts/staying/credit", { usd: "4" })
      await route.abort()
    })
    visitor.awaits(/ERR_FAILED/)
    await page.getByRole("button", { name: "More for staying" }).click()
    await page.getByRole("menuitem", { name: "Delete account" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Type staying to delete it").fill("staying")
    await page.keyboard.press("Enter")
    await dialog.getByRole("alert").getByText("does not answer").waitFor()
    await dialog.getByRole("button", { name: "Keep it" }).click()
    await expect.poll(() => page.locator("main").textContent()).toContain("$4.00")
    visitor.quiet()
    await visitor.close()
  })

  it("see who is signed in, and end a session of the other at once", async () => {
    const [one, other] = await twoOperators()
    other.awaits(/status of 401/)
    await one.page.getByRole("link", { name: "Sessions" }).click()
    const table = one.page.getByRole("table", { name: "Sessions" })
    await table.getByText("this one").waitFor()
    expect(await violations(one.page)).toEqual([])
    await picture(one.page, "sessions")
    const rows = table.locator("tbody tr")
    const before = await rows.count()
    expect(before).toBeGreaterThanOrEqual(2)
    await other.page.goto("/console/keys")
    await other.page.locator("main tbody tr[data-id]").first().waitFor()
    // The newest that is not one's own is the other's.
    const theirs = rows.filter({ hasNotText: "this one" }).first()
    await theirs.getByRole("button", { name: /^Revoke/ }).click()
    await one.page.getByRole("dialog").getByRole("button", { name: "Revoke session" }).click()
    await expect.poll(() => rows.count()).toBe(before - 1)
    await other.page.getByLabel("Key", { exact: true }).waitFor()
    await other.page.getByText("The session has ended.").waitFor()
    one.quiet()
    other.quiet()
    await Promise.all([one.close(), other.close()])
  })
})
