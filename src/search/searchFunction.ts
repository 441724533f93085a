import type {
  Conversation,
  Item,
  SearchItem,
  SearchTool,
  Tool,
  ToolCallItem,
  ToolChoice,
  ToolResultItem
} from "../generation/Conversation.ts"
import type { Sources } from "./Sources.ts"

/** The request to a model without a search of its own. */
export interface SearchingConversation {
  readonly conversation: Conversation
  /** The name of the function that replaces the search. */
  readonly name: string
}

/**
 * The conversation with the search as a function, and earlier searches as its calls with their results. A search whose
 * results are lost stays as it is.
 */
export const withFunction = (conversation: Conversation, tool: SearchTool, sources: Sources): SearchingConversation => {
  const name = freeName(tool.name, conversation.tools)
  return {
    name,
    conversation: {
      ...conversation,
      items: conversation.items.flatMap((item) => (item.type === "search" ? replayed(item, name, sources) : [item])),
      tools: conversation.tools.flatMap((one) => (one === tool ? [functionOf(tool, name)] : withoutSearch([one]))),
      toolChoice: renamed(conversation.toolChoice, tool.name, name)
    }
  }
}

/** A finished search as a call and its result, for the model. */
export const searchItems = (
  name: string,
  search: { readonly id: string; readonly query: string },
  told: string
): readonly [ToolCallItem, ToolResultItem] => [
  {
    type: "tool-call",
    callId: search.id,
    name,
    arguments: JSON.stringify({ query: search.query }),
    kind: "function"
  },
  { type: "tool-result", callId: search.id, content: [{ type: "text", text: told }], isError: false }
]

const isTool = (choice: ToolChoice, name: string) => choice.type === "tool" && choice.name === name

const replayed = (item: SearchItem, name: string, sources: Sources): ReadonlyArray<Item> =>
  item.outcome === undefined ? [item] : searchItems(name, item, sources.tell(item.outcome))

/** At most one search tool of a request counts. */
const withoutSearch = (tools: ReadonlyArray<Tool>) => tools.filter((tool) => tool.type !== "search")

const freeName = (name: string, tools: ReadonlyArray<Tool>): string => {
  const taken = new Set(withoutSearch(tools).map((tool) => tool.name))
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`
  return free
}

const renamed = (choice: ToolChoice, from: string, to: string): ToolChoice => {
  if (isTool(choice, from)) return { type: "tool", name: to }
  if (choice.type !== "required" || choice.names === undefined) return choice
  return { type: "required", names: choice.names.map((name) => (name === from ? to : name)) }
}

const functionOf = ({ location }: SearchTool, name: string): Tool => {
  const place = [location?.city, location?.region, location?.country].filter((part) => part !== undefined)
  const near = place.length === 0 ? "" : ` The user is near ${place.join(", ")}.`
  const zone = location?.timezone === undefined ? "" : ` The user's time zone is ${location.timezone}.`
  return {
    type: "function",
    name,
    description: `Searches the web and answers with numbered pages. Use it for whatever is recent or must be looked up.${near}${zone}`,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "What to search for, in a few words" } },
      required: ["query"],
      additionalProperties: false
    },
    strict: undefined
  }
}
