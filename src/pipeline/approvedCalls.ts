import { randomHex } from "../contract/text/randomHex.ts"
import type { ApprovedCall } from "../generation/McpServerRequest.ts"
import { serverToolNames } from "../generation/serverToolName.ts"
import type { ServedTools } from "../mcp/CallerServers.ts"
import { ApprovedCalls } from "../tools/ApprovedCalls.ts"

/** The calls that a request approves, of the tools that its servers list; undefined if there are none. */
export const approvedCalls = (
  { listed, tools }: ServedTools,
  approved: ReadonlyArray<ApprovedCall>
): ApprovedCalls | undefined => {
  const [tool] = tools
  if (tool === undefined || approved.length === 0) return undefined
  return new ApprovedCalls(
    approved.map((approval) => {
      const { arguments: text, server: label, tool: called } = approval
      const [unlisted = ""] = serverToolNames([{ label, tool: called }], new Set())
      const { name = unlisted } = listed.find((one) => one.label === label && one.tool === called) ?? {}
      return { tool, call: { id: randomHex(), name, arguments: text, approval } }
    })
  )
}
