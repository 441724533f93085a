import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { adminKey } from "../console/browser/browser.ts"
import { runCommand } from "../e2e/command.ts"
import { storeWeek } from "./week.ts"
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

describe("an operator's questions, each by one command", () => {
  beforeAll(async () => {
    week = await storeWeek()
  }, 120_000)
  afterAll(() => week.dispose())

  it("who spent most yesterday, and on what?", async () => {
    const [, first] = (
      await say("usage", "--by", "account,model", "--since", "yesterday", "--until", "yesterday")
    ).split("\n")
    expect(first).toMatch(/research +smart/)
  })

  it("why did it fail?", async () => {
    const said = await say("requests", "show", week.failed)
    expect(said).toContain("this prompt is impossible")
  })

  it("what did this key do?", async () => {
    const said = await say("requests", "list", "--key", "support-bot", "--since", "8d", "--limit", "500")
    const lines = said.trimEnd().split("\n")
    // Orders, what failed, and the conversation, of seven days, with a line of sums.
    expect(lines).toHaveLength(1 + 7 * (12 + 1 + 3) + 1)
    expect(lines.at(-1)).toMatch(/^112 requests .*failed/)
  })

  it("what was said in the conversation that went wrong?", async () => {
    const said = await say("requests", "conversation", week.conversation.at(-1) ?? "")
    expect(said).toContain("An impossible wish")
    expect(said).toContain("Answer to Book a table for two")
    expect(said).toContain("this prompt is impossible")
    expect(said).toMatch(/^\d+ requests since .* failed: [\d]+ tokens in, [\d]+ out, \$/m)
  })
})
