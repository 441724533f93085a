import { input, unservedInput } from "./inputExamples.ts"
import { responseOthers, responseTools } from "./responseExamples.ts"

const metadata = { topic: "demo" }

/** All kinds of tools in an item. */
export const addedTools = {
  type: "additional_tools",
  role: "developer",
  tools: [...responseTools, ...responseOthers.flatMap<object>((body) => ("tools" in body ? body.tools : []))]
}

/** All kinds of items, no more at once than a conversation takes. */
const items = [{ items: input.slice(0, 12) }, { items: [...input.slice(12), addedTools] }]

/** Bodies of conversations, as in `examples.ts`. */
export const conversations = {
  "conversations.create": items.map((body) => ({ ...body, metadata })),
  "conversations.update": [{ metadata }],
  "chat.update": [{ metadata }],
  "conversations.addItems": items
}

export const conversationsUnserved = {
  "conversations.create": [{ items: unservedInput }],
  "conversations.addItems": [{ items: unservedInput }]
}
