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
})
