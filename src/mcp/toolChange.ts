import type { McpTool } from "./McpServer.ts"

/** The text of a tool, for models. */
type ToolText = Pick<McpTool, "description" | "inputSchema">

/** A tool that tells models something else than before. */
export interface ToolChange {
  readonly tool: string
  readonly parts: ReadonlyArray<"description" | "schema">
  readonly before: ToolText
  readonly after: ToolText
}

/** @returns undefined if the tool was not known, or is the same to a model */
export const toolChange = (before: McpTool | undefined, after: McpTool): ToolChange | undefined => {
  if (before === undefined) return undefined
  const parts = [
    ...(before.description === after.description ? [] : (["description"] as const)),
    ...(Bun.deepEquals(before.inputSchema, after.inputSchema) ? [] : (["schema"] as const))
  ]
  return parts.length === 0 ? undefined : { tool: after.name, parts, before: textOf(before), after: textOf(after) }
}

const textOf = ({ description, inputSchema }: McpTool): ToolText => ({ description, inputSchema })
