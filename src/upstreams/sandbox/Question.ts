import { InvalidRequest } from "../../contract/Failure.ts"
import type {
  Conversation,
  DocumentPart,
  ImagePart,
  Item,
  Message,
  Part,
  ToolCallItem,
  ToolResultItem
} from "../../generation/Conversation.ts"
import { readDirective } from "./directive.ts"
import type { Directive } from "./directive.ts"

/** What the sandbox is asked: whatever came since the assistant's last word. */
export interface Question {
  /** The last user text, without its directives. */
  readonly text: string
  readonly directive: Directive
  /** The user's text before that; undefined where there was none. */
  readonly before: string | undefined
  readonly system: string
  readonly attachments: ReadonlyArray<ImagePart | DocumentPart>
  /** Results of tools that wait for an answer. */
  readonly results: ReadonlyArray<Result>
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
  const results: Array<Result> = []
  const texts: Array<string> = []
  let at = items.length - 1
  for (; at >= 0; at--) {
    const item = items[at]
    if (item === undefined || isAssistants(item)) break
    if (item.type === "tool-result") results.unshift({ result: item, call: callOf(items, item.callId) })
    if (item.type === "tool-result" || isUsers(item)) attachments.unshift(...attachmentsOf(item.content))
    if (isUsers(item)) texts.unshift(textOf(item.content))
  }
  let asked = texts.filter((text) => text !== "").join("\n")
  // In a tool loop the user's last words stand before the calls.
  for (; at >= 0 && asked === ""; at--) asked = usersText(items[at])
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
    attachments,
    results,
    id: (kind, index) => {
      const seed = `${items.length}|${read.text}|${results.map(({ result }) => result.callId).join()}|${kind}|${index}`
      return Bun.hash(seed).toString(36) + Bun.hash(seed, 1n).toString(36)
    }
  }
}

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

const isUsers = (item: Item): item is Message => item.type === "message" && item.role === "user"
const isAssistants = (item: Item) => (item.type === "message" ? item.role === "assistant" : item.type !== "tool-result")

const usersText = (item: Item | undefined): string =>
  item?.type === "message" && item.role === "user" ? textOf(item.content) : ""

const attachmentsOf = (parts: ReadonlyArray<Part>) =>
  parts.filter((part) => part.type === "image" || part.type === "document")

const callOf = (items: ReadonlyArray<Item>, callId: string): ToolCallItem | undefined =>
  items.findLast((item): item is ToolCallItem => item.type === "tool-call" && item.callId === callId)

const systemOf = (conversation: Conversation): string => {
  const texts = [...conversation.system]
  for (const item of conversation.items) {
    if (item.type === "message" && item.role === "system") texts.push(textOf(item.content))
  }
  return texts.filter((text) => text !== "").join("\n")
}
