import type { Conversation, ToolChoice } from "../generation/Conversation.ts"

/** After its first call a required tool becomes optional, otherwise the model would call it for ever. */
export const afterCalls = (choice: ToolChoice, names: ReadonlySet<string>): ToolChoice => {
  const isMet =
    choice.type === "required"
      ? (choice.names?.some((name) => names.has(name)) ?? true)
      : choice.type === "tool" && names.has(choice.name)
  return isMet ? { type: "auto" } : choice
}

/** The conversation without the tools of these names, which may be called no more. */
export const withoutTools = (conversation: Conversation, names: ReadonlySet<string>): Conversation => {
  const tools = conversation.tools.filter((tool) => !names.has(tool.name))
  return { ...conversation, tools, toolChoice: tools.length === 0 ? { type: "auto" } : conversation.toolChoice }
}
