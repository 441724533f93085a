import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { usdText } from "../../src/contract/text/usdText.ts"
import { adminKey } from "../console/browser/browser.ts"
import { runCommand } from "../e2e/command.ts"
import { request } from "../request.ts"
import { rowsOf } from "./narrow.ts"
import { narrowQuestions } from "./narrowQuestions.ts"
import { storeWeek, thisMonth, whyThoseFailed, yesterday } from "./week.ts"
import type { Week } from "./week.ts"

let week: Week

/** One command, as an operator types it beside the running gateway; what it printed. */
const say = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, err, out } = await runCommand(week.gateway.folder, args, {
    GATEWAY_URL: week.gateway.url,
    GATEWAY_ADMIN_KEY: adminKey
  })
  if (code !== 0) throw new Error(`gateway ${args.join(" ")}: exit ${code}\n${err}${out}`)
  return out
}

/** Dollars of the ledger as commands print them. */
const spent = (where?: string): string => usdText(week.ledger("cost_nano_usd", where) / 1e9)

/** The status of a request with a key. */
const ask = async (secret: string, model: string): Promise<number> => {
  const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] }
  const answer = await request(week.gateway, "/v1/chat/completions", { key: secret, body })
  await answer.text()
  return answer.status
}

beforeAll(async () => {
  week = await storeWeek()
}, 120_000)
afterAll(() => week.dispose())

narrowQuestions(() => week)

describe("an operator's questions, each by one command", () => {
  it("who spent most yesterday, and on what?", async () => {
    const where = `account_id = 'research' AND model = 'smart' AND ${yesterday}`
    const [first] = rowsOf(await say("overview", "--by", "account,model", "--from", "yesterday"))
    expect(first).toMatchObject({ ACCOUNT: "research", MODEL: "smart", REQUESTS: "24", USD: spent(where) })
    const used = rowsOf(await say("usage", "--by", "account,model", "--since", "yesterday", "--until", "yesterday"))
    expect(used[0]).toMatchObject({ ACCOUNT: "research", MODEL: "smart", REQUESTS: "24", USD: spent(where) })
    expect(used.find(({ ACCOUNT }) => ACCOUNT === "total")).toMatchObject({ USD: spent(yesterday) })
  })

  it("why did it fail?", async () => {
    const said = await say("requests", "show", week.failed)
    expect(said).toMatch(/^status +400$/m)
    expect(said).toMatch(/^reason +this prompt is impossible$/m)
    expect(said).toMatch(/^why +The request itself was wrong\./m)
    // Both upstreams were asked.
    const attempts = rowsOf(said.slice(said.indexOf("ATTEMPT")))
    expect(attempts.slice(0, 2)).toMatchObject([
      { UPSTREAM: "shaky", STATUS: "503" },
      { UPSTREAM: "near", STATUS: "400", ERROR: "this prompt is impossible" }
    ])
  })

  it.each(whyThoseFailed)("why did it fail? $code", async ({ code, why }) => {
    const said = await say("requests", "show", week.failures[code])
    expect(/^why +(.*)$/m.exec(said)?.[1]).toMatch(why)
    expect(said).toMatch(/^reason +\S/m)
  })

  it("which upstream is slow?", async () => {
    const rows = rowsOf(await say("overview", "--by", "upstream", "--from", "7d"))
    const of = (name: string) => rows.find(({ UPSTREAM }) => UPSTREAM === name)
    expect(Number.parseInt(of("far")?.["TRY P95"] ?? "")).toBeGreaterThanOrEqual(300)
    expect(Number.parseInt(of("near")?.["TRY P95"] ?? "")).toBeLessThan(300)
    expect(of("shaky")).toMatchObject({ ATTEMPTS: "14", FAILED: "14", HIDDEN: "7" })
  })

  it("who is near a budget?", async () => {
    const [near, ...others] = rowsOf(await say("budgets", "--from", "80")).filter(({ USED }) => USED !== "")
    const used = week.ledger("cost_nano_usd", `key_id = '${week.keys.notebook.id}' AND ${thisMonth}`) / 1e9
    expect(near).toMatchObject({ USED: "90 %", ACCOUNT: "research", KEY: `notebook (${week.keys.notebook.id})` })
    expect(near?.["BUDGET"]).toBe(`${usdText(used)} of ${usdText(used * 1.1)} a month`)
    expect(others).toEqual([])
    expect(await say("attention")).toContain("key notebook of research has used 90 % of its budget")
  })

  it("what did this key do?", async () => {
    const ofKey = `key_id = '${week.keys.bot.id}'`
    const said = await say("requests", "list", "--key", "support-bot", "--since", "8d", "--limit", "500")
    const lines = said.trimEnd().split("\n")
    // Orders, what failed, and the conversation, of seven days, with a line of sums.
    expect(lines).toHaveLength(1 + 7 * (12 + 1 + 3) + 1)
    expect(lines.at(-1)).toMatch(/^112 requests .*14 failed/)
    expect(lines.at(-1)?.endsWith(spent(ofKey))).toBe(true)
    const day = await say("requests", "list", "--key", "support-bot", "--since", "24h")
    expect(day.trimEnd().split("\n").at(-1)).toMatch(/^16 requests .*2 failed/)
    const rows = rowsOf(await say("overview", "--key", "support-bot", "--from", "7d"))
    expect(rows.slice(0, 2)).toMatchObject([
      { MODEL: "steady", REQUESTS: "91", ERRORS: "7", USD: spent(`${ofKey} AND model = 'steady'`) },
      { MODEL: "cheap", REQUESTS: "21", ERRORS: "7", USD: spent(`${ofKey} AND model = 'cheap'`) }
    ])
  })

  it("which callbacks are stuck?", async () => {
    const [stuck, ...others] = rowsOf(await say("deliveries", "list", "--state", "stuck")).filter(({ ID }) => ID !== "")
    expect(stuck).toMatchObject({ TASK: week.task, STATUS: "succeeded", STATE: "pending" })
    expect(stuck?.["LAST ANSWER"]).toBe("connection refused")
    expect(stuck?.["NEXT"]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(others).toEqual([])
  })

  it("what would moving this traffic cost?", async () => {
    const there = week.ledger(
      "(input_tokens + cache_read_tokens) * 0.2 + output_tokens * 0.8",
      "model IN ('smart', 'steady', 'cheap')"
    )
    const rows = rowsOf(await say("overview", "--from", "7d", "--on", "cheap"))
    const total = rows.find(({ MODEL }) => MODEL === "total")
    expect(total).toMatchObject({ USD: spent(), "USD THERE": usdText(there / 1e6) })
  })

  it("what changed in the configuration, and who did it?", async () => {
    const said = await say("audit", "list", "--action", "configuration", "--changes")
    expect(said).toMatch(/^\d+ +\S+ \S+ +file:\S+gateway\.yaml +configuration\.reload/)
    expect(said).toContain("models.cheap.price.input 0.1 → 0.2")
    expect(said).toContain("models.cheap.price.output 0.4 → 0.8")
  })

  it("what was said in the conversation that went wrong?", async () => {
    const said = await say("requests", "conversation", week.conversation.at(-1) ?? "")
    expect(said).toContain("An impossible wish")
    expect(said).toContain("Answer to Book a table for two")
    expect(said).toContain("this prompt is impossible")
    const ofIt = `request_id IN ('${week.conversation.join("', '")}')`
    const tokens = `${week.ledger("input_tokens + cache_read_tokens", ofIt)} tokens in`
    const sums = `3 requests since .*, 1 failed: ${tokens}, ${week.ledger("output_tokens", ofIt)} out`
    expect(said).toMatch(new RegExp(`^${sums}, \\${spent(ofIt)}$`, "m"))
  })

  it("rotate a leaked key", async () => {
    const { id, secret } = week.keys.bot
    const said = await say("keys", "rotate-secret", `…${secret.slice(-4)}`)
    const [fresh = ""] = /gw_\w+/.exec(said.replaceAll(secret, "")) ?? []
    expect(said).toContain(id)
    expect(await ask(secret, "steady")).toBe(401)
    expect(await ask(fresh, "steady")).toBe(200)
  })

  it("a monthly budget for a team", async () => {
    const used = spent(`account_id = 'studio' AND ${thisMonth}`)
    const said = await say("accounts", "set", "studio", "--budget", "100")
    expect(said).toContain(`${used} of $100.00 a month`)
  })

  it("a number of requests a day", async () => {
    const said = await say("accounts", "set", "studio", "--requests-per-day", "1")
    // Requests are counted from now on; the budget in dollars stays.
    expect(said).toContain("0 of 1 requests a day")
    expect(said).toContain("of $100.00 a month")
    expect(await ask(week.keys.storyboards.secret, "cheap")).toBe(200)
    expect(await ask(week.keys.storyboards.secret, "cheap")).toBe(429)
  })

  it("block a model for an account", async () => {
    const said = await say("accounts", "set", "research", "--not-model", "steady")
    expect(said).toMatch(/^not models +steady$/m)
    expect(await ask(week.keys.notebook.secret, "steady")).toBe(403)
    expect(await ask(week.keys.notebook.secret, "cheap")).toBe(200)
  })
})
