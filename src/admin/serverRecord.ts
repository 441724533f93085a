import { maskSecrets } from "../config/maskSecrets.ts"
import { sandboxAddress } from "../config/sections/Mcp.ts"
import type { McpEntry } from "../config/sections/Mcp.ts"
import { mayUseTool } from "../contract/callers/toolRule.ts"
import type { ToolRules } from "../contract/callers/toolRule.ts"
import type { McpTool } from "../mcp/McpServer.ts"
import type { SeenChange, ServerState } from "../mcp/ServerStates.ts"
import { percentiles } from "../requests/Tally.ts"
import type { ServerUse } from "../tools/store/ToolUse.ts"
import { isoOrNull, isoTime } from "./fields.ts"
import type { ToolServerRecord } from "./ToolServerRecord.ts"

interface Seen {
  readonly state: ServerState | undefined
  readonly changes: ReadonlyArray<SeenChange>
  /** Undefined if it was not called. */
  readonly use: ServerUse | undefined
}

/**
 * A server of the configuration with what was seen of it.
 *
 * @param rules those of keys or of an account, one of which must allow a tool; undefined for all tools
 */
export const serverRecord = (
  name: string,
  { api_key, auth = api_key === undefined ? "none" : "key", description, trusted, url }: McpEntry,
  { changes, state, use }: Seen,
  rules?: ReadonlyArray<ToolRules>
): ToolServerRecord => {
  const { lastFailure, list } = state ?? {}
  const isShown = (tool: McpTool) => rules === undefined || rules.some((one) => mayUseTool(one, name, tool.name))
  const tools = auth === "caller" || auth === "person" ? undefined : list?.tools.filter(isShown)
  return {
    object: "tool_server",
    name,
    description: description ?? null,
    url: url === sandboxAddress || rules !== undefined ? null : maskSecrets(url, "[secret]"),
    auth,
    trusted: trusted === true,
    state: state === undefined ? "unknown" : state.isAnswering ? "answering" : "failing",
    since: isoOrNull(state?.sinceMs ?? null),
    era: list?.era ?? null,
    listed_at: isoOrNull(list?.atMs ?? null),
    tools:
      tools?.map((tool) =>
        toolRecord(
          tool,
          changes.find((one) => one.server === name && one.tool === tool.name)
        )
      ) ?? null,
    warnings: list?.warnings ?? [],
    use: rules === undefined ? useRecord(use) : null,
    last_failure:
      lastFailure === undefined || rules !== undefined
        ? null
        : { time: isoTime(lastFailure.atMs), message: lastFailure.message }
  }
}

const useRecord = ({ calls, durations, errors }: ServerUse = { calls: 0, errors: 0, durations: [] }) => ({
  calls,
  errors,
  duration_ms: percentiles(durations)
})

const toolRecord = ({ annotations, name, ...text }: McpTool, change: SeenChange | undefined) => ({
  name,
  ...textRecord(text),
  read_only: annotations.readOnlyHint === true,
  ...(change !== undefined && { changed: { at: isoTime(change.atMs), before: textRecord(change.before) } })
})

const textRecord = ({ description, inputSchema }: Pick<McpTool, "description" | "inputSchema">) => ({
  description: description ?? null,
  input_schema: inputSchema
})
