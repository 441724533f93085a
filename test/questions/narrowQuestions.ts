import { describe, expect, it } from "@effect/vitest"
import { usdText } from "../../src/contract/text/usdText.ts"
import { adminKey } from "../console/browser/browser.ts"
import { narrow, rowsOf } from "./narrow.ts"
import { thisMonth, yesterday } from "./week.ts"
import type { Week } from "./week.ts"

/** The questions of an operator at 80 columns, each by one command. */
export const narrowQuestions = (weekOf: () => Week): void => {
  describe("an operator's questions at 80 columns, each by one command", () => {
    /** Dollars of the ledger as commands print them. */
    const spent = (where?: string): string => usdText(weekOf().ledger("cost_nano_usd", where) / 1e9)

    /** What it printed, of which no line is longer, and no id whole unless the question names it. */
    const saidNarrowly = async (...args: ReadonlyArray<string>): Promise<string> => {
      const said = await narrow(weekOf().gateway.folder, args, {
        GATEWAY_URL: weekOf().gateway.url,
        GATEWAY_ADMIN_KEY: adminKey
      })
      expect(said.split("\n").filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
      return said
    }
    const short = (id: string) => `${/^[a-z]+[_-]/.exec(id)?.[0] ?? ""}…${id.slice(-6)}`

    it("what did each team cost yesterday?", async () => {
      const rows = rowsOf(await saidNarrowly("overview", "--by", "account", "--from", "yesterday"))
      expect(rows[0]).toMatchObject({
        ACCOUNT: "research",
        REQUESTS: "24",
        USD: spent(`account_id = 'research' AND ${yesterday}`)
      })
      expect(rows.find(({ ACCOUNT }) => ACCOUNT === "total")).toMatchObject({ USD: spent(yesterday) })
    })

    it("which key spends most?", async () => {
      const { id } = weekOf().keys.notebook
      const [first] = rowsOf(await saidNarrowly("overview", "--by", "key", "--from", "7d"))
      expect(first).toMatchObject({ KEY: short(id), NAME: "notebook", USD: spent(`key_id = '${id}'`) })
      const [used] = rowsOf(await saidNarrowly("usage", "--by", "key"))
      expect(used).toMatchObject({ KEY: short(id), NAME: "notebook", USD: spent(`key_id = '${id}'`) })
    })

    it("why did this one fail?", async () => {
      const said = (await saidNarrowly("requests", "show", weekOf().failures.quota_exceeded)).replaceAll(
        /\n {2,}/g,
        " "
      )
      expect(said).toMatch(
        /^why +A budget is used up, or has less left than the request may cost\. .*Nothing was charged\.$/m
      )
      expect(said).toMatch(/^reason +The monthly budget of this API key \(\$0\.000001\)/m)
      expect(await saidNarrowly("requests", "show", weekOf().failed)).toContain(weekOf().failed)
    })

    it("is an upstream sick?", async () => {
      expect(rowsOf(await saidNarrowly("upstreams"))[3]).toMatchObject({ UPSTREAM: "shaky", CIRCUIT: "closed" })
      const rows = rowsOf(await saidNarrowly("overview", "--by", "upstream", "--from", "7d"))
      expect(rows.find(({ UPSTREAM }) => UPSTREAM === "shaky")).toMatchObject({ FAILED: "14" })
    })

    it("what did failover hide?", async () => {
      const rows = rowsOf(await saidNarrowly("overview", "--by", "upstream", "--from", "7d"))
      expect(rows.find(({ UPSTREAM }) => UPSTREAM === "shaky")).toMatchObject({ FAILED: "14", HIDDEN: "7" })
    })

    it("who changed what?", async () => {
      const said = await saidNarrowly("audit", "list", "--changes")
      expect(said).toContain("models.cheap.price.input 0.1 → 0.2")
      const lines = (await saidNarrowly("audit", "list")).split("\n")
      expect(lines[0]).toMatch(
        /^\d{4}-\d\d-\d\d \d\d:\d\d +file:\S*gateway\.yaml +configuration\.reload +configuration$/
      )
      expect(lines[1]).toMatch(/^ {2}models\.cheap\.price\.input 0\.1 → 0\.2, /)
      expect(lines[2]).toMatch(/ admin-key +key\.update +notebook$/)
    })

    it("which budget ends when?", async () => {
      const used = weekOf().ledger("cost_nano_usd", `key_id = '${weekOf().keys.notebook.id}' AND ${thisMonth}`) / 1e9
      const [first] = rowsOf(await saidNarrowly("budgets"))
      expect(first).toEqual({
        USED: "90 %",
        ACCOUNT: "research",
        KEY: "notebook",
        BUDGET: `${usdText(used)} of ${usdText(used * 1.1)} a month`,
        "BEGINS AGAIN": expect.stringMatching(/^\d{4}-\d\d-01 00:00$/)
      })
    })

    it("whose is this secret?", async () => {
      const said = await saidNarrowly("keys", "show", `…${weekOf().keys.bot.secret.slice(-4)}`)
      expect(said).toMatch(/^account +support$/m)
      expect(said).toMatch(/^name +support-bot$/m)
      const rows = rowsOf(await saidNarrowly("keys", "list"))
      expect(rows.find(({ NAME }) => NAME === "support-bot")).toMatchObject({
        SECRET: `…${weekOf().keys.bot.secret.slice(-4)}`
      })
    })

    it("which callbacks are stuck?", async () => {
      const [stuck] = rowsOf(await saidNarrowly("deliveries", "list", "--state", "stuck"))
      expect(stuck).toMatchObject({
        TASK: short(weekOf().task),
        TRIES: expect.stringMatching(/^\d+$/),
        "LAST ANSWER": "connection refused"
      })
      const [task] = rowsOf(await saidNarrowly("tasks", "list", "--callback", "stuck"))
      expect(task).toMatchObject({ ID: short(weekOf().task), CALLBACK: expect.stringMatching(/^stuck/) })
    })

    it("what would it cost on another model?", async () => {
      const rows = rowsOf(await saidNarrowly("overview", "--from", "7d", "--on", "cheap"))
      expect(rows.find(({ MODEL }) => MODEL === "total")).toMatchObject({ USD: spent() })
      expect(rows[0]?.["USD THERE"]).toMatch(/^\$/)
    })

    it("what did one agent do in its session?", async () => {
      const said = await saidNarrowly("requests", "conversation", weekOf().conversation.at(-1) ?? "")
      expect(
        rowsOf(said)
          .slice(0, 3)
          .map(({ REQUEST }) => REQUEST)
      ).toEqual(weekOf().conversation.map(short))
      expect(said).toContain("An impossible wish")
    })

    it("what is slower than last week?", async () => {
      const rows = rowsOf(await saidNarrowly("overview", "--by", "upstream", "--from", "7d"))
      const far = rows.find(({ UPSTREAM }) => UPSTREAM === "far")
      expect(Number.parseInt(far?.["P95"] ?? "")).toBeGreaterThanOrEqual(300)
      expect(Number.parseInt(far?.["P95 WAS"] ?? "")).toBeLessThan(300)
      const near = rows.find(({ UPSTREAM }) => UPSTREAM === "near")
      expect(near?.["P95 WAS"]).toBe(near?.["P95"])
    })

    it("what needs me?", async () => {
      const said = (await saidNarrowly("attention")).replaceAll(/\s+/g, " ")
      expect(said).toContain("key notebook of research has used 90 % of its budget")
      expect(said).toContain("raw without a price: refused to metered accounts")
    })
  })
}
