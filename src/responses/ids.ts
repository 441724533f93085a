import { randomBytes } from "node:crypto"
import type { ItemPrefix } from "./encoding.ts"
import type { StoredItem } from "./InputItem.ts"

/**
 * The time of creation (48 bits of ms) and 112 random bits. Growing ids share the pages that a commit writes, while
 * random ones dirty a page each. Item ids contain the response's id, so that an item is found without an index.
 */
export const newResponseId = (nowMs = Date.now()): string =>
  `resp_${nowMs.toString(16).padStart(12, "0")}${randomBytes(14).toString("hex")}`

/** The id of a conversation that the gateway keeps, with as many digits as no upstream's has. */
export const newConversationId = (nowMs = Date.now()): string => `conv_${randomOf(newResponseId(nowMs))}`

/** True for such an id. Others belong to upstreams. */
export const isConversationId = (id: string): boolean => /^conv_[0-9a-f]{40}$/.test(id)

export const outputItemId = (responseId: string, prefix: ItemPrefix, index: number): string =>
  `${prefix}_${randomOf(responseId)}${index.toString(16)}`

/** The id of the item that replaces a compacted conversation. */
export const compactionItemId = (responseId: string): string => `cmp_${randomOf(responseId)}0`

/** The id of an input item that came without one. */
export const inputItemId = (responseId: string, item: StoredItem, index: number): string =>
  item.id ?? madeItemId(responseId, item.type, index)

/** The same where an item's own id can't be kept. */
export const madeItemId = (responseId: string, type: string | null | undefined, index: number): string =>
  `${inputPrefix.get(type ?? "message") ?? "item"}_${randomOf(responseId)}i${index.toString(16)}`

/** The response that an item belongs to; undefined if the gateway did not make the id. */
export const responseIdOf = (itemId: string): string | undefined => {
  const random = /^[a-z]+_([0-9a-f]{40})i?[0-9a-f]+$/.exec(itemId)?.[1]
  return random === undefined ? undefined : `resp_${random}`
}

/** True for an item of an MCP server's (`mcp_call`, `mcp_approval_request`) that the gateway made. Upstreams' ids are longer. */
export const isOwnServerItem = (item: { readonly type?: string | null | undefined; readonly id?: unknown }): boolean =>
  item.type?.startsWith("mcp_") === true && /^mcpr?_[0-9a-f]{40}i?[0-9a-f]{1,3}$/.test(String(item.id))

/** True if an id is that of an input item. */
export const isOfInput = (itemId: string): boolean => /^[a-z]+_[0-9a-f]{40}i[0-9a-f]+$/.test(itemId)

const randomOf = (responseId: string) => responseId.slice("resp_".length)

const inputPrefix = new Map<string, string>([
  ["message", "msg"],
  ["function_call", "fc"],
  ["function_call_output", "fco"],
  ["custom_tool_call", "ctc"],
  ["custom_tool_call_output", "ctco"],
  ["reasoning", "rs"],
  ["web_search_call", "ws"],
  ["image_generation_call", "ig"],
  ["mcp_list_tools", "mcpl"],
  ["mcp_call", "mcp"],
  ["mcp_approval_request", "mcpr"],
  ["mcp_approval_response", "mcpa"],
  ["additional_tools", "at"],
  ["tool_search_call", "tsc"],
  ["tool_search_output", "tso"],
  ["shell_call", "sh"],
  ["shell_call_output", "sho"],
  ["local_shell_call", "lsh"],
  ["local_shell_call_output", "lsho"],
  ["apply_patch_call", "apc"],
  ["apply_patch_call_output", "apco"],
  ["computer_call", "cu"],
  ["computer_call_output", "cuo"]
])
