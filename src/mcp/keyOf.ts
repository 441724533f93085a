import { Redacted } from "effect"
import type { McpServer } from "./McpServer.ts"

/** A server and its credentials, which the key does not show. What one caller learns of a server is for those alone. */
export const keyOf = ({ headers, url }: Pick<McpServer, "headers" | "url">): string => {
  const sorted = Object.entries(Redacted.value(headers)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([url, sorted])).digest("hex")
}
