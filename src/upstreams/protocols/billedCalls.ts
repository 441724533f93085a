import type { CallCounts, HostedCall } from "../../contract/records/HostedCall.ts"
import { countAt, objectAt } from "../../contract/json/json.ts"

/** xAI's counts of the calls that it bills, in place of items. */
const billed: ReadonlyMap<string, HostedCall> = new Map<string, HostedCall>([
  ["x_search_calls", "x_search"],
  ["code_interpreter_calls", "code_interpreter"],
  ["file_search_calls", "file_search"],
  ["collections_search_calls", "collections_search"]
])

/** @param counted by items, where the usage tells none */
export const billedCalls = (usage: unknown, counted: CallCounts): CallCounts => {
  const details = objectAt(usage, "server_side_tool_usage_details")
  if (details === undefined) return counted
  const told = [...billed].flatMap(([field, call]) => {
    const count = countAt(details, field)
    return count === undefined ? [] : [[call, count] as const]
  })
  return { ...counted, ...Object.fromEntries(told) }
}
