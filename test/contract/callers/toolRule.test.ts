import { describe, expect, it } from "@effect/vitest"
import { mayUseServer, mayUseTool } from "../../../src/contract/callers/toolRule.ts"

describe("a tool", () => {
  it("may be used if key and account both allow it and neither forbids it", () => {
    expect(mayUseTool({}, "jira", "search")).toBe(true)
    expect(mayUseTool({ tools: ["jira/*"], accountTools: ["*/search"] }, "jira", "search")).toBe(true)
    expect(mayUseTool({ tools: ["jira/*"], accountTools: ["*/search"] }, "jira", "get")).toBe(false)
    expect(mayUseTool({ tools: ["jira/*"], notTools: ["jira/search"] }, "jira", "search")).toBe(false)
    expect(mayUseTool({ accountNotTools: ["*/sea*"] }, "jira", "search")).toBe(false)
    expect(mayUseTool({ tools: ["jira/search"] }, "jira", "Search")).toBe(false)
  })

  it("is of its own server, whatever that calls it", () => {
    expect(mayUseTool({ tools: ["*-safe/*"] }, "evil", "x-safe/run")).toBe(false)
    expect(mayUseTool({ tools: ["*-safe/*"] }, "very-safe", "x/run")).toBe(true)
    expect(mayUseTool({ tools: ["jira/search"] }, "jira", "x/search")).toBe(false)
    expect(mayUseTool({ notTools: ["jira/*"] }, "jira", "a/b")).toBe(false)
  })
})

describe("a server", () => {
  it("exists for callers who may use some tool that it may have", () => {
    expect(mayUseServer({}, "jira")).toBe(true)
    expect(mayUseServer({ tools: ["jira/search"] }, "jira")).toBe(true)
    expect(mayUseServer({ tools: ["jira/search"] }, "wiki")).toBe(false)
    expect(mayUseServer({ accountTools: ["*/search"], notTools: ["jira/get"] }, "jira")).toBe(true)
    expect(mayUseServer({ notTools: ["j*/*"] }, "jira")).toBe(false)
  })
})
