import { randomBytes } from "node:crypto"
import type { ItemPrefix } from "./encoding.ts"
import type { InputItem } from "./InputItem.ts"

/** Item ids carry their response's random part, so that an item is found without an index of items. */
export const newResponseId = (): string => `resp_${randomBytes(20).toString("hex")}`

export const outputItemId = (responseId: string, prefix: ItemPrefix, index: number): string =>
  `${prefix}_${randomOf(responseId)}${index.toString(16)}`

/** The id of an item of the input that came without one. */
export const inputItemId = (responseId: string, item: InputItem, index: number): string =>
  item.id ?? `${inputPrefix.get(item.type ?? "message") ?? "item"}_${randomOf(responseId)}i${index.toString(16)}`

/** The response that an item belongs to, if the id is one of ours. */
export const responseIdOf = (itemId: string): string | undefined => {
  const random = /^[a-z]+_([0-9a-f]{40})i?[0-9a-f]+$/.exec(itemId)?.[1]
  return random === undefined ? undefined : `resp_${random}`
}

const randomOf = (responseId: string) => responseId.slice("resp_".length)

const inputPrefix = new Map<string, string>([
  ["message", "msg"],
  ["function_call", "fc"],
  ["function_call_output", "fco"],
  ["custom_tool_call", "ctc"],
  ["custom_tool_call_output", "ctco"],
  ["reasoning", "rs"],
  ["web_search_call", "ws"]
])
