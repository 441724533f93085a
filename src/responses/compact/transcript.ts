import type { Item, Part } from "../../generation/Conversation.ts"

/** A conversation as text, for a model that summarizes it. */
export const transcript = (instructions: ReadonlyArray<string>, items: ReadonlyArray<Item>): string =>
  [...instructions.map((text) => `System: ${text}`), ...items.flatMap(linesOf)].join("\n\n")

const linesOf = (item: Item): ReadonlyArray<string> => {
  switch (item.type) {
    case "message":
      return [`${speakers[item.role]}: ${item.content.map(show).join("\n")}`]
    case "tool-call":
      return [`Assistant calls ${item.name}: ${item.arguments}`]
    case "tool-result":
      return [`Result: ${item.content.map(show).join("\n")}`]
    case "search":
      return [`Assistant searches the web: ${item.query}`]
    case "reasoning":
      return []
  }
}

const speakers = { system: "System", user: "User", assistant: "Assistant" } as const

const show = (part: Part): string => {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text
    case "image":
      return "[an image]"
    case "document":
      return `[a document${part.name === undefined ? "" : `: ${part.name}`}]`
  }
}
