import type { CallCounts, HostedCall } from "../../../contract/records/HostedCall.ts"
import { countAt, objectAt, textAt } from "../../../contract/json/json.ts"
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

/** The searches that the upstream bills: opening a page is none, whatever the items say. */
export const billedSearches = (response: unknown, counted: number): number =>
  countAt(objectAt(objectAt(response, "tool_usage"), "web_search"), "num_requests") ??
  countAt(objectAt(objectAt(response, "usage"), "server_side_tool_usage_details"), "web_search_calls") ??
  counted
