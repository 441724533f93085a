import type { PinnedTool } from "../generation/McpServerRequest.ts"
import { firstOf } from "./McpClient.ts"
import type { McpList, McpTool } from "./McpServer.ts"
import { readTools } from "./readTools.ts"

/** A list that the caller sends, within the bounds of a server's own. Nothing is known of its tools' effects. */
export const pinnedList = (pinned: ReadonlyArray<PinnedTool>, admits: (tool: McpTool) => boolean): McpList =>
  firstOf(
    readTools([{ tools: pinned.map(({ description, inputSchema, name }) => ({ name, description, inputSchema })) }]),
    admits
  )
