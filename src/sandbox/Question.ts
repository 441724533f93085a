import { InvalidRequest } from "../contract/Failure.ts"
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

/** What the sandbox is asked. */
export interface Question {
  /** The last message of the user that has text, without its directives and without what an agent says beside it. */
  readonly text: string
  readonly directive: Directive
  /** The user's text before that; undefined where there was none. */
  readonly before: string | undefined
  readonly system: string
  /** What came along since the assistant's last word. */
  readonly attachments: ReadonlyArray<ImagePart | DocumentPart>
  /** Results of tools that wait for an answer. */
  readonly results: ReadonlyArray<Result>
  /** Whether tools have been called for this text. Agents go on by themselves when something in the background ends. */
  readonly hasResults: boolean
  /** An id that is the same for the same input and differs from turn to turn of a conversation. */
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
  let asked = ""
  let hasResults = results.length > 0
  // In a tool loop the user's last words stand before the calls.
  for (; at >= 0 && asked === ""; at--) {
    const item = items[at]
    hasResults ||= item?.type === "tool-result"
    asked = usersText(item)
  }
  let before = ""
  for (; at >= 0 && before === ""; at--) before = usersText(items[at])

  const read = readDirective(asked)
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

/** Ids of what the same input makes; all that is the same for all of them is looked at once. */
const ids = (asked: string, results: ReadonlyArray<ToolResultItem>): Question["id"] => {
  let begun: string | undefined
  return (kind, index) => {
    begun ??= short(asked + results.map(({ callId }) => callId).join())
    return short(`${begun}|${kind}|${index}`)
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
