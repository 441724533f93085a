import type { Conversation, ToolChoice } from "../generation/Conversation.ts"
import type { ServerCallEnd } from "./ServerTool.ts"

/** After its first call a required tool becomes optional, otherwise the model would call it for ever. */
export const afterCalls = (choice: ToolChoice, names: ReadonlySet<string>): ToolChoice => {
  const isMet =
    choice.type === "required"
      ? (choice.names?.some((name) => names.has(name)) ?? true)
      : choice.type === "tool" && names.has(choice.name)
  return isMet ? { type: "auto" } : choice
}

/** The conversation for a round in which so many calls and searches are still allowed. */
export const withCallsLeft = (conversation: Conversation, names: ReadonlySet<string>, left: number): Conversation => {
  if (left === Infinity) return conversation
  const searches = conversation.tools.flatMap((tool) => (tool.type === "search" ? [tool.name] : []))
  if (left <= 0) return withoutTools(conversation, new Set([...names, ...searches]))
  if (searches.length === 0) return conversation
  const tools = conversation.tools.map((tool) =>
    tool.type === "search" ? { ...tool, maxUses: Math.min(tool.maxUses ?? left, left) } : tool
  )
  return { ...conversation, tools }
}

/** The conversation without the tools of these names, which may be called no more. */
export const withoutTools = (conversation: Conversation, names: ReadonlySet<string>): Conversation => {
  const tools = conversation.tools.filter((tool) => !names.has(tool.name))
  return { ...conversation, tools, toolChoice: tools.length === 0 ? { type: "auto" } : conversation.toolChoice }
}

/** The tools with those that calls have found. */
export const withFound = (
  tools: Conversation["tools"],
  ends: ReadonlyArray<Pick<ServerCallEnd, "found">>
): Conversation["tools"] => {
  const found = ends.flatMap((end) => end.found ?? [])
  if (found.length === 0) return tools
  const known = new Set(tools.map(({ name }) => name))
  return [...tools, ...found.filter(({ name }) => known.size < known.add(name).size)]
}
