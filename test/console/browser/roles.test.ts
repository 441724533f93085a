import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser, Page } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startProvider } from "../../people/startProvider.ts"
import { Visitor } from "../../people/visitor.ts"
import { adminKey, fitsIn, openBrowser, picture, startConsole, violations, visit, withoutChromium } from "./browser.ts"

const isSkipped = withoutChromium("test/console/browser/roles.test.ts")

const roles = `    - { group: audit, role: auditor }
    - { group: lead, role: manager, accounts: [crew-*] }
    - { group: crew, role: member, accounts: [crew-a] }
`

/** The pages of each role. */
const reading = ["Overview", "Requests", "Tasks", "Keys"]
const people = {
  auditor: { group: "audit", pages: [...reading, "Accounts", "Models", "Tools", "Audit", "Sessions"] },
  manager: { group: "lead", pages: [...reading, "Accounts", "Models", "Tools", "Playground", "Audit"] },
  member: { group: "crew", pages: [...reading, "Models", "Tools", "Playground", "Audit"] }
} as const

/** Names of buttons that change something; an auditor has none. */
const changing =
  /create|edit|revoke|rotate|credit|suspend|delete|cancel|again|block|allow|^test|new secret|end session/i

describe.skipIf(isSkipped)("the console of each role", () => {
  let browser: Browser
  let gateway: GatewayHere
  let provider: Awaited<ReturnType<typeof startProvider>>

  const ask = async (path: string, body: object, key = adminKey) => {
    const answer = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect([path, answer.status]).toEqual([path, 200])
    return answer.json()
  }
  const use = async (secret: string) => {
    await ask(
      "/v1/messages",
      { model: "sandbox-text", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
      secret
    )
    const content = [{ type: "text", text: "a cat --resolution 480p --frames 29" }]
    await ask("/api/v3/contents/generations/tasks", { model: "sandbox-video", content }, secret)
  }

  beforeAll(async () => {
    provider = await startProvider({ roles })
    ;[browser, gateway] = await Promise.all([
      openBrowser(),
      startConsole({ folder: provider.folder, env: provider.env })
    ])
    for (const id of ["crew-a", "crew-b"]) await ask("/admin/v1/accounts", { id })
    const { secret } = await ask("/admin/v1/keys", { account: "crew-a", name: "shared" })
    await use(secret)
  })
  afterAll(async () => {
    await Promise.all([browser.close(), gateway.dispose()])
    await provider.stop()
  })

  /** A page of someone with a role; what they have been refused. */
  const at = async (role: keyof typeof people, look = {}) => {
    await fetch(`${provider.issuer}/-/group?name=${role}&group=${people[role].group}`)
    const person = new Visitor()
    await person.signIn(gateway.url, role)
    const { csrf } = await person.session(gateway.url)
    const visitor = await visit(browser, gateway, look)
    const value = person.cookies(gateway.url).get("gateway_session") ?? ""
    await visitor.context.addCookies([{ name: "gateway_session", value, url: gateway.url }])
    const refused: Array<string> = []
    visitor.page.on("response", (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`)
    })
    const { idle, page } = visitor
    const settled = async () => {
      await page.locator("main h1").first().waitFor()
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
      await idle()
    }
    return { ...visitor, settled, person, csrf, refused }
  }

  it.each(["auditor", "manager", "member"] as const)(
    "shows %s what it reaches, and nothing that is refused",
    async (role) => {
      const { page, person, csrf, refused, settled, ...visitor } = await at(role)
      if (role === "member") {
        const made = await person.send(`${gateway.url}/admin/v1/keys`, {
          method: "POST",
          headers: { "x-gateway-csrf": csrf },
          body: JSON.stringify({ account: "crew-a", name: "my own" })
        })
        await use(String((await made.json()).secret))
      }
      await page.goto("/console")
      const nav = page.getByRole("navigation", { name: "Console" })
      await nav.waitFor()
      expect(await nav.locator("a.nav-item").allTextContents()).toEqual(people[role].pages)
      const buttons = new Set<string>()
      const links = new Set<string>()
      const look = async (name: string) => {
        await settled()
        for (const text of await page.locator("main button:visible").allInnerTexts()) buttons.add(`${name}: ${text}`)
        const found = await page
          .locator("main a[href]")
          .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""))
        for (const href of found) links.add(href)
        expect([name, await fitsIn(page)]).toEqual([name, true])
        await picture(page, `${role}-${name.toLowerCase()}`)
      }
      for (const name of people[role].pages) {
        await nav.getByRole("link", { name, exact: true }).click()
        await page.locator("main h1", { hasText: name }).waitFor()
        await look(name)
        // Use is that of all accounts.
        const use = await page.locator("th", { hasText: /^p95, p50$/ }).count()
        if (name === "Models") expect(use > 0).toBe(role === "auditor")
        const row = page.locator("main tbody tr[data-id]").first()
        if (!["Requests", "Tasks", "Keys", "Audit"].includes(name)) continue
        await row.click()
        await page.locator(".drawer h2").first().waitFor()
        await look(`${name} opened`)
        await page.keyboard.press("Escape")
      }
      // Where the links lead.
      for (const href of [...links].filter((one) => one.startsWith("/console"))) {
        await page.goto(href)
        await settled()
      }
      for (const href of [...links].filter((one) => one.startsWith("/admin"))) {
        expect([href, (await page.request.get(href)).status()]).toEqual([href, 200])
      }
      if (role !== "member") {
        await page.goto("/console/accounts/crew-a")
        await page.getByRole("heading", { name: "Settings" }).waitFor()
        await look("Account")
        expect([...buttons].filter((one) => /^Account: (edit|add|block|allow|more)/i.test(one))).toEqual([])
        expect(await page.getByRole("link", { name: "Create key" }).count()).toBe(role === "manager" ? 1 : 0)
      }
      expect(await page.locator("th", { hasText: /^(Change|Test)$/ }).count()).toBe(0)
      // No page opens by its address alone, nor a form by its key.
      for (const name of ["playground", "accounts", "sessions"]) {
        await page.goto(`/console/${name}`)
        await settled()
      }
      if (role === "auditor") {
        expect([...buttons].filter((one) => changing.test(one.split(": ")[1] ?? ""))).toEqual([])
        await page.goto("/console/keys?new=")
        await settled()
        await page.keyboard.press("c")
        expect(await page.getByRole("dialog").count()).toBe(0)
      } else await makesAndRevokes(page, settled, role)
      expect(refused).toEqual([])
      visitor.quiet()
      await visitor.close()
    }
  )

  const makesAndRevokes = async (page: Page, settled: () => Promise<void>, role: string) => {
    await page.goto("/console/keys")
    await settled()
    await page.getByRole("button", { name: "Create key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill(`made by ${role}`)
    await picture(page, `${role}-create-key`)
    expect([role, await violations(page)]).toEqual([role, []])
    await dialog.getByRole("button", { name: "Create key" }).click()
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.locator("main tbody tr[data-id]", { hasText: `made by ${role}` }).click()
    await page.getByRole("button", { name: "Revoke key" }).click()
    await dialog.getByRole("button", { name: "Revoke key" }).click()
    await page.locator(".toast", { hasText: "revoked" }).waitFor()
  }

  it.each([
    { tag: "light", theme: "light", width: 1440 },
    { tag: "dark", theme: "dark", width: 1440 },
    { tag: "390", theme: "light", width: 390 }
  ] as const)("shows the members of an account: $tag", async ({ tag, ...look }) => {
    const { page, settled, ...visitor } = await at("manager", { ...look, height: 1400 })
    await page.goto("/console/accounts/crew-a")
    const members = page.getByRole("table", { name: "Members" })
    await members.waitFor()
    await settled()
    const names = await members.locator("tbody tr").allInnerTexts()
    expect(names.map((text) => text.split(/\s+/).slice(0, 2).join(" "))).toEqual([
      "auditor@corp.test auditor",
      "manager@corp.test manager",
      "member@corp.test member"
    ])
    expect(await violations(page)).toEqual([])
    expect(await fitsIn(page)).toBe(true)
    await members.scrollIntoViewIfNeeded()
    await picture(page, `members-${tag}`)
    const download = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download CSV" }).click()
    expect((await download).suggestedFilename()).toBe("members-of-crew-a.csv")
    visitor.quiet()
    await visitor.close()
  })

  it("lets a role of very many accounts choose one by typing", async () => {
    for (let from = 0; from < 210; from += 30) {
      const ids = Array.from({ length: 30 }, (_, n) => `crew-c${String(from + n).padStart(3, "0")}`)
      await Promise.all(ids.map((id) => ask("/admin/v1/accounts", { id })))
    }
    const { page, refused, ...visitor } = await at("manager")
    await page.goto("/console")
    const choice = page.getByRole("combobox", { name: "Account", exact: true })
    await choice.waitFor()
    expect(await choice.inputValue()).toBe("crew-a")
    await choice.fill("crew-c20")
    await expect.poll(() => page.locator("#nav-accounts option").count()).toBe(10)
    await choice.fill("crew-c209")
    await expect.poll(() => page.locator("#nav-accounts option").count()).toBe(1)
    await choice.press("Enter")
    await expect.poll(() => choice.inputValue()).toBe("crew-c209")
    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByText("No keys").first().waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "account-choice")
    // What is none of theirs is not taken.
    await choice.fill("default")
    await choice.press("Enter")
    await expect.poll(() => choice.inputValue()).toBe("crew-c209")
    expect(refused).toEqual([])
    visitor.quiet()
    await visitor.close()
  })
})
