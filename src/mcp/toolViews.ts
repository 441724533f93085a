import type { FunctionTool } from "../generation/Conversation.ts"
import type { ServedTool } from "./callsOf.ts"

/** A tool as the caller is shown it. */
export const shownTool = ({ annotations, description, inputSchema, name }: ServedTool["tool"]) => ({
  name,
  description,
  inputSchema,
  isReadOnly: annotations.readOnlyHint === true
})

/** A tool as the model gets it. */
export const functionOf = (name: string, { asked, tool }: ServedTool): FunctionTool => {
  const description = [asked.description, tool.description].filter((text) => text !== undefined).join("\n")
  return {
    type: "function",
    name,
    description: description === "" ? undefined : description,
    parameters: tool.inputSchema,
    strict: undefined
  }
}
