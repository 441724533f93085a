import { describe, expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { mcpServers } from "../../src/pipeline/mcpEntries.ts"

const read = (...tools: ReadonlyArray<object>) => {
  const complaints: Array<string> = []
  const servers = mcpServers({ tools }, (param, rule) => complaints.push(`${param}: ${rule}`))
  return { servers, complaints }
}
const entry = (over: object = {}) => ({
  type: "mcp",
  server_label: "dice",
  server_url: "https://dice.example/mcp",
  ...over
})
const tool = (name: string, isReadOnly = false) => ({ name, isReadOnly })
const offers = (over: object, ...tools: ReadonlyArray<ReturnType<typeof tool>>) =>
  tools.map((one) => read(entry(over)).servers[0]?.offer(one))

describe("MCP servers of a response", () => {
  it("are read beside other tools, their secrets hidden", () => {
    const { complaints, servers } = read(
      { type: "web_search" },
      entry({ authorization: "hidden", headers: { "X-Team": "a" }, server_description: "Dice" }),
      { type: "mcp", server_label: "jira" }
    )
    expect(complaints).toEqual([])
    expect(servers).toMatchObject([
      { label: "dice", url: "https://dice.example/mcp", description: "Dice", param: "tools[1]" },
      { label: "jira", url: undefined, param: "tools[2]" }
    ])
    expect(Redacted.value(servers[0]!.headers)).toEqual({ "x-team": "a" })
    expect(servers[0]?.token).toEqual(Redacted.make("hidden"))
    expect(JSON.stringify(servers)).not.toContain("hidden")
    expect(read().servers).toEqual([])
  })

  it.each([
    [{ server_label: "" }, "server_label"],
    [{ server_label: "a b" }, "server_label"],
    [{ server_label: "a".repeat(65) }, "server_label"],
    [{ server_label: null }, "server_label"],
    [{ server_url: "ftp://dice.example" }, "server_url"],
    [{ server_url: "https://u:p@dice.example" }, "server_url"],
    [{ server_url: "https://dice.example/#a" }, "server_url"],
    [{ server_url: `https://dice.example/${"a".repeat(2_048)}` }, "server_url"],
    [{ server_url: 1 }, "server_url"],
    [{ connector_id: "connector_dropbox" }, "connector_id"],
    [{ tunnel_id: "t" }, "tunnel_id"],
    [{ authorization: "a b" }, "authorization"],
    [{ authorization: "" }, "authorization"],
    [{ authorization: "t", headers: { Authorization: "Bearer u" } }, "headers.Authorization"],
    [{ headers: [] }, "headers"],
    [{ headers: { "a b": "c" } }, "headers"],
    [{ headers: { a: "c\r\nx: y" } }, "headers.a"],
    [{ headers: { a: 1 } }, "headers.a"],
    [{ headers: { Host: "x" } }, "headers.Host"],
    [{ headers: { Cookie: "x" } }, "headers.Cookie"],
    [{ headers: { "MCP-Session-Id": "x" } }, "headers.MCP-Session-Id"],
    [{ headers: { "Transfer-Encoding": "x" } }, "headers.Transfer-Encoding"],
    [{ headers: { a: "x", A: "y" } }, "headers.A"],
    [{ headers: { a: "x".repeat(8_192) } }, "headers"],
    [{ headers: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`h${n}`, ""])) }, "headers"],
    [{ allowed_tools: "a" }, "allowed_tools"],
    [{ allowed_tools: [1] }, "allowed_tools"],
    [{ allowed_tools: [""] }, "allowed_tools"],
    [{ allowed_tools: { tool_names: "a" } }, "allowed_tools.tool_names"],
    [{ allowed_tools: { read_only: "yes" } }, "allowed_tools.read_only"],
    [{ require_approval: "sometimes" }, "require_approval"],
    [{ require_approval: {} }, "require_approval"],
    [{ require_approval: { always: { tool_names: [1] } } }, "require_approval.always.tool_names"],
    [{ defer_loading: 1 }, "defer_loading"],
    [{ allowed_callers: ["programmatic"] }, "allowed_callers"],
    [{ server_description: "d".repeat(4_097) }, "server_description"]
  ])("%j is refused", (over, field) => {
    const { complaints } = read(entry(over))
    expect(complaints[0]).toMatch(RegExp(`^tools\\[0\\]\\.${field.replaceAll(".", "\\.")}: `))
    expect(complaints[0]).not.toContain("undefined")
  })

  it("nulls count as left out", () => {
    const nothing = {
      authorization: null,
      headers: null,
      allowed_tools: null,
      require_approval: null,
      connector_id: null
    }
    expect(read(entry({ ...nothing, defer_loading: null, allowed_callers: null })).complaints).toEqual([])
  })

  it("have labels of their own, and are sixteen at most", () => {
    expect(read(entry(), entry()).complaints).toEqual([
      "tools[1].server_label: expected a label that no other server has"
    ])
    const many = Array.from({ length: 18 }, (_, n) => entry({ server_label: `l${n}` }))
    expect(read(...many).complaints).toEqual(["tools[16]: expected at most 16 servers"])
  })

  it("offer the tools that they allow", () => {
    const [a, b, reading] = [tool("a"), tool("b"), tool("r", true)]
    const shown = { isDeferred: false, needsApproval: true }
    expect(offers({}, a, reading)).toEqual([shown, shown])
    expect(offers({ allowed_tools: ["a"] }, a, b)).toEqual([shown, undefined])
    expect(offers({ allowed_tools: [] }, a)).toEqual([undefined])
    expect(offers({ allowed_tools: { tool_names: ["a", "r"], read_only: true } }, a, b, reading)).toEqual([
      undefined,
      undefined,
      shown
    ])
    expect(offers({ allowed_tools: { read_only: false } }, a, reading)).toEqual([shown, undefined])
    expect(offers({ allowed_tools: {} }, a)).toEqual([shown])
  })

  it.each([
    [undefined, true, true],
    ["always", true, true],
    ["never", false, false],
    [{ always: { tool_names: ["a"] } }, true, false],
    [{ never: { tool_names: ["a"] } }, false, true],
    [{ never: { read_only: true } }, true, true],
    [{ always: { tool_names: ["a"] }, never: { tool_names: ["a", "b"] } }, true, false],
    [{ always: { tool_names: ["a"] }, never: { tool_names: [] } }, true, true]
  ])("%j asks for a: %s, for b: %s", (require_approval, ofA, ofB) => {
    const asked = offers({ require_approval }, tool("a"), tool("b"))
    expect(asked.map((offer) => offer?.needsApproval)).toEqual([ofA, ofB])
  })

  it("are deferred only beside a search for tools", () => {
    expect(offers({ defer_loading: true }, tool("a"))).toMatchObject([{ isDeferred: false }])
    const [server] = read({ type: "tool_search" }, entry({ defer_loading: true })).servers
    expect(server?.offer(tool("a"))).toMatchObject({ isDeferred: true })
  })
})
