import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation, ToolChoice } from "../generation/Conversation.ts"
import type { ServedTools } from "../mcp/CallerServers.ts"
import type { ServerChoice } from "./TextFamily.ts"

/** The conversation with the tools of its servers that the request chooses from, and its choice among them. */
export const withChosenTools = (
  conversation: Conversation,
  { functions, hidden, listed }: ServedTools,
  choice: ServerChoice | undefined
): Conversation | InvalidRequest => {
  if (choice === undefined) return { ...conversation, tools: [...conversation.tools, ...functions] }
  const names = listed.flatMap(({ label, name, tool }) => (choice.isChosen(label, tool) ? [name] : []))
  // A chosen tool need not be looked for.
  const chosen = new Set(names)
  const found = hidden.filter(({ name }) => chosen.has(name))
  if (choice.mode === "auto") {
    const shown = functions.filter(({ name }) => chosen.has(name))
    return { ...conversation, tools: [...conversation.tools, ...shown, ...found] }
  }
  const toolChoice = chosenOf(choice.mode, names, conversation.toolChoice)
  if (toolChoice === undefined) {
    const message = `${choice.param}: expected a tool that the server lists and tools allow`
    return new InvalidRequest({ param: choice.param, message })
  }
  return { ...conversation, tools: [...conversation.tools, ...functions, ...found], toolChoice }
}

const chosenOf = (mode: "one" | "required", names: ReadonlyArray<string>, own: ToolChoice): ToolChoice | undefined => {
  const [first, ...others] = names
  if (mode === "one") {
    if (first === undefined) return undefined
    return others.length === 0 ? { type: "tool", name: first } : { type: "required", names }
  }
  const all = [...(own.type === "required" ? (own.names ?? []) : []), ...names]
  return all.length === 0 ? undefined : { type: "required", names: all }
}
