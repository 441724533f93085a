import { many, on, shapes } from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"

const onMcp = on("/mcp")
const onMcpServer = on("/mcp/sandbox-tools")

/** Below the endpoint's limit of 1 MiB. */
const longest = 1_000_000

const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
const echo = (input: unknown) => rpc("tools/call", { name: "sandbox-tools__echo", arguments: input })

/** What MCP clients may send. */
export const tools: ReadonlyArray<Hostile> = [
  onMcp("a tool's name of 1 MB", () => rpc("tools/call", { name: "sandbox-tools__".repeat(longest / 15) })),
  onMcp("a method of 1 MB", () => rpc("a/".repeat(longest / 2), {})),
  onMcp("a version of 1 MB", () => rpc("initialize", { protocolVersion: "2".repeat(longest) })),
  onMcp("arguments of 1 MB", () => echo({ text: "a".repeat(longest) })),
  onMcp("arguments of 250 kB", () => echo({ text: "a".repeat(250_000) })),
  onMcp("arguments of 250 kB in control characters", () => echo({ text: "\u0001".repeat(40_000) })),
  onMcp("a batch of 10,000 calls", () =>
    JSON.stringify(many(10_000, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" })))
  ),
  ...shapes.map(([name, shape]) => onMcpServer(`_meta: ${name}`, () => rpc("tools/list", { _meta: { a: shape() } })))
]
