import { expect, it } from "vitest"
import { pricePerCall } from "../../src/mcp/pricePerCall.ts"

it("is one number, or that of the tool's own name, or of the longest pattern", () => {
  expect(pricePerCall(undefined, "search")).toBe(0)
  expect(pricePerCall(0.002, "search")).toBe(2_000_000)
  const written = { "*": 0.01, search: 0, "search*": 0.000_000_001, "*_issue_of_a_project": 5 }
  const priceOf = (tool: string) => pricePerCall(written, tool)
  expect(["search", "search_all", "drop", "get_issue_of_a_project"].map(priceOf)).toEqual([
    0, 1, 10_000_000, 5_000_000_000
  ])
  expect(pricePerCall({ "get_*": 1 }, "drop")).toBe(0)
})
