import type { Conversation, Part } from "./Conversation.ts"

/** The text of a message's parts. */
export const textOf = (parts: ReadonlyArray<Part>): string => {
  const [first] = parts
  if (parts.length === 1 && first?.type === "text") return first.text
  let text = ""
  for (const part of parts) {
    if (part.type === "text" && part.text !== "") text = text === "" ? part.text : `${text}\n${part.text}`
  }
  return text
}

/** The text of the last user message; empty if there is none. */
export const lastUserText = ({ items }: Conversation): string => {
  const last = items.findLast((item) => item.type === "message" && item.role === "user")
  return last?.type === "message" ? textOf(last.content) : ""
}
