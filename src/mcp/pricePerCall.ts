import type { McpEntry } from "../config/sections/Mcp.ts"
import { matches } from "../contract/text/matches.ts"
import { nanoUsd } from "../ledger/nanoUsd.ts"

/** The price of a call of a tool, in nano-dollars: that of its own name, or of the longest pattern that matches it. */
export const pricePerCall = (written: McpEntry["price_per_call"] = 0, tool: string): number => {
  if (typeof written === "number") return nanoUsd(written)
  const [pattern] = Object.keys(written)
    .filter((one) => one === tool || matches(one, tool))
    .toSorted((one, other) => Number(other === tool) - Number(one === tool) || other.length - one.length)
  return pattern === undefined ? 0 : nanoUsd(written[pattern] ?? 0)
}
