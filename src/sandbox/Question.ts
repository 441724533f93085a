import { InvalidRequest } from "../contract/failures/Failure.ts"
import type {
  Conversation,
  DocumentPart,
  ImagePart,
  Item,
  Message,
  Part,
  ToolCallItem,
  ToolResultItem
} from "../generation/Conversation.ts"
import { textOf } from "../generation/textOf.ts"
import { readDirective } from "./directive.ts"
import type { Directive } from "./directive.ts"
import { withoutAsides } from "./withoutAsides.ts"

/** A request as the sandbox reads it. */
export interface Question {
  /** The last user message with text, without directives and agents' additions. */
  readonly text: string
  readonly directive: Directive
  /** The user text before it; undefined if there is none. */
  readonly before: string | undefined
  readonly system: string
  /** Attachments since the assistant's last message. */
  readonly attachments: ReadonlyArray<ImagePart | DocumentPart>
  /** Tool results that need an answer. */
  readonly results: ReadonlyArray<Result>
  /** True if tools have been called for this text. Agents continue by themselves when a background task ends. */
  readonly hasResults: boolean
  /** An id that depends on the input alone and differs between turns of a conversation. */
  readonly id: (kind: string, index: number) => string
}

interface Result {
  readonly result: ToolResultItem
  readonly call: ToolCallItem | undefined
}

export const readQuestion = (conversation: Conversation): Question | InvalidRequest => {
  const { items } = conversation
  const attachments: Array<ImagePart | DocumentPart> = []
  const results: Array<ToolResultItem> = []
  for (let last = items.length - 1; last >= 0; last--) {
    const item = items[last]
    if (item === undefined || isAssistants(item)) break
    if (item.type === "tool-result") results.push(item)
    if (item.type === "tool-result" || isUsers(item)) attachments.push(...attachmentsOf(item.content).toReversed())
  }
  let at = items.length - 1
  let lastText = ""
  let hasResults = results.length > 0
  // In a tool loop the user's last text precedes the calls.
  for (; at >= 0 && lastText === ""; at--) {
    const item = items[at]
    hasResults ||= item?.type === "tool-result"
    lastText = usersText(item)
  }
  let before = ""
  for (; at >= 0 && before === ""; at--) before = usersText(items[at])

  const read = readDirective(lastText)
  if (read instanceof InvalidRequest) return read
  const earlier = before === "" ? undefined : readDirective(before)
  return {
    text: read.text,
    directive: read.directive,
    before: earlier === undefined || earlier instanceof InvalidRequest ? undefined : earlier.text,
    system: systemOf(conversation),
    attachments: attachments.toReversed(),
    results: withCalls(results.toReversed(), items),
    hasResults,
    id: ids(`${items.length}|${read.text}|`, results)
  }
}

/** Makes ids of one input; the shared part is computed once. */
const ids = (text: string, results: ReadonlyArray<ToolResultItem>): Question["id"] => {
  let prefix: string | undefined
  return (kind, index) => {
    prefix ??= short(text + results.map(({ callId }) => callId).join())
    return short(`${prefix}|${kind}|${index}`)
  }
}

const short = (text: string) => Bun.hash(text).toString(36) + Bun.hash(text, 1n).toString(36)

const withCalls = (results: ReadonlyArray<ToolResultItem>, items: ReadonlyArray<Item>): ReadonlyArray<Result> => {
  if (results.length === 0) return []
  const calls = new Map<string, ToolCallItem>()
  for (const item of items) if (item.type === "tool-call") calls.set(item.callId, item)
  return results.map((result) => ({ result, call: calls.get(result.callId) }))
}

const isUsers = (item: Item): item is Message => item.type === "message" && item.role === "user"
const isAssistants = (item: Item) => (item.type === "message" ? item.role === "assistant" : item.type !== "tool-result")

const usersText = (item: Item | undefined): string =>
  item !== undefined && isUsers(item) ? withoutAsides(textOf(item.content)) : ""

const attachmentsOf = (parts: ReadonlyArray<Part>) =>
  parts.filter((part) => part.type === "image" || part.type === "document")

const systemOf = (conversation: Conversation): string => {
  const texts = [...conversation.system]
  for (const item of conversation.items) {
    if (item.type === "message" && item.role === "system") texts.push(textOf(item.content))
  }
  return texts.filter((text) => text !== "").join("\n")
}
