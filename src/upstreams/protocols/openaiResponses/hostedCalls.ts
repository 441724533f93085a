import type { HostedCall } from "../../../contract/HostedCall.ts"
import { countAt, objectAt, textAt } from "../../../contract/json.ts"
import type { CallCounts } from "../../../generation/GenerationEvent.ts"
import { isHostedPlace } from "../../../generation/hostedTools.ts"

const items: ReadonlyMap<string, HostedCall> = new Map<string, HostedCall>([
  ["image_generation_call", "image_generation"],
  ["code_interpreter_call", "code_interpreter"],
  ["file_search_call", "file_search"],
  ["shell_call", "shell"],
  ["x_search_call", "x_search"],
  ["collections_search_call", "collections_search"]
])

/** Part of the data of each item that tells a call, or a search. */
export const callMark =
  /"(?:web_search|image_generation|code_interpreter|file_search|shell|x_search|collections_search)_call"/

/** The tool that the upstream ran for an item; undefined for other items and for failed calls. */
export const hostedCallIn = (item: unknown): HostedCall | undefined => {
  const call = items.get(textAt(item, "type") ?? "")
  if (call === undefined || textAt(item, "status") === "failed") return undefined
  // Other commands ran at the caller's.
  return call === "shell" && !isHostedPlace(objectAt(item, "environment")) ? undefined : call
}

/** True for a search. Opening a page that was found before is billed as none. */
export const isBilledSearch = (item: unknown): boolean => {
  if (textAt(item, "type") !== "web_search_call") return false
  const action = objectAt(item, "action")
  return action === undefined || textAt(action, "type") === "search"
}

export const withCall = (counts: CallCounts, call: HostedCall | undefined): CallCounts =>
  call === undefined ? counts : { ...counts, [call]: (counts[call] ?? 0) + 1 }

/** The calls of a whole output, if it tells more than its items did one by one. */
export const callsOf = (output: ReadonlyArray<unknown>, counted: CallCounts): CallCounts => {
  const told = output.reduce<CallCounts>((counts, item) => withCall(counts, hostedCallIn(item)), {})
  return Object.keys(told).length === 0 ? counted : told
}

/** xAI's counts of the calls that it bills, in place of items. */
const billed: ReadonlyMap<string, HostedCall> = new Map<string, HostedCall>([
  ["x_search_calls", "x_search"],
  ["code_interpreter_calls", "code_interpreter"],
  ["file_search_calls", "file_search"],
  ["collections_search_calls", "collections_search"]
])

export const billedCalls = (usage: unknown, counted: CallCounts): CallCounts => {
  const details = objectAt(usage, "server_side_tool_usage_details")
  if (details === undefined) return counted
  const told = [...billed].flatMap(([field, call]) => {
    const count = countAt(details, field)
    return count === undefined ? [] : [[call, count] as const]
  })
  return { ...counted, ...Object.fromEntries(told) }
}

/** The searches that the upstream bills: opening a page is none, whatever the items say. */
export const billedSearches = (response: unknown, counted: number): number =>
  countAt(objectAt(objectAt(response, "tool_usage"), "web_search"), "num_requests") ??
  countAt(objectAt(objectAt(response, "usage"), "server_side_tool_usage_details"), "web_search_calls") ??
  counted
