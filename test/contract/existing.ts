import type { GatewayHere } from "../gatewayHere.ts"
import type { Endpoint } from "./endpoints.ts"

/** An endpoint's path; a conversation that it names is there, and new, because none takes an item twice; so is a completion, and a server. */
export const existing = async ({ key, url }: GatewayHere, { path }: Pick<Endpoint, "path">): Promise<string> => {
  if (path.startsWith("/mcp/")) return "/mcp/sandbox-tools"
  const [kind, body] = Object.entries(kinds).find(([start]) => path.startsWith(`${start}/`)) ?? []
  if (kind === undefined) return path
  const headers = { authorization: `Bearer ${key}` }
  const made = await fetch(url + kind, { method: "POST", headers, body: JSON.stringify(body) })
  const { id } = (await made.json()) as { readonly id: string }
  return path.replace("unknown", id)
}

/** How what a path names is made. */
const kinds = {
  "/v1/conversations": {},
  "/v1/chat/completions": { model: "sandbox-text", messages: [{ role: "user", content: "Hello" }], store: true }
}
