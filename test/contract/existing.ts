import type { GatewayHere } from "../gatewayHere.ts"
import type { Endpoint } from "./endpoints.ts"

/** An endpoint's path; a conversation that it names is there, and new, because none takes an item twice. */
export const existing = async ({ key, url }: GatewayHere, { path }: Pick<Endpoint, "path">): Promise<string> => {
  if (!path.startsWith("/v1/conversations/")) return path
  const headers = { authorization: `Bearer ${key}` }
  const made = await fetch(`${url}/v1/conversations`, { method: "POST", headers, body: "{}" })
  const { id } = (await made.json()) as { readonly id: string }
  return path.replace("unknown", id)
}
