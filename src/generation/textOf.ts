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

/** What the user said last; empty where there is no message of theirs, or no text in it. */
export const lastUserText = ({ items }: Conversation): string => {
  const last = items.findLast((item) => item.type === "message" && item.role === "user")
  return last?.type === "message" ? textOf(last.content) : ""
}
