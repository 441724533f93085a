import { shorten } from "../../contract/text/shorten.ts"
import type { Item } from "../../generation/Conversation.ts"
import type { ApprovedCall } from "../../generation/McpServerRequest.ts"
import { serverToolNames } from "../../generation/serverToolName.ts"
import type { InputItem } from "../InputItem.ts"
import { duplicateItem } from "../store/refusals.ts"

type ApprovalRequest = Extract<InputItem, { readonly type: "mcp_approval_request" }>
type Answer = Extract<InputItem, { readonly type: "mcp_approval_response" }>

/** Of the conversation that the request continues, and the request's own. */
interface Items {
  readonly history: ReadonlyArray<InputItem>
  readonly input: ReadonlyArray<InputItem>
}

interface Reading {
  /** The labels of the request's servers. */
  readonly labels: () => ReadonlyArray<string>
  readonly refuse: (param: string, message: string) => void
}

/** The approvals of a conversation. */
export interface Approvals {
  /** The calls that the request approves, and that no earlier response has. */
  readonly given: ReadonlyArray<ApprovedCall>
  /** Those that the request does not approve. */
  readonly denied: ReadonlyArray<ApprovedCall>
  /** An answer of the caller's for the model: a refused call and the reason; nothing for an approved one, whose own item follows. */
  readonly toldOf: (answer: Answer) => ReadonlyArray<Item>
}

/** Reads the approvals of a conversation, which are in most requests none. */
export const approvalsOf = ({ history, input }: Items, reading: Reading): Approvals => {
  const items = [...history, ...input]
  const isAnswer = (item: InputItem): item is Answer => item.type === "mcp_approval_response"
  const asked = askedIn(items, reading)
  if (!items.some(isAnswer)) return { given: [], denied: [], toldOf: () => [] }
  const answered = new Set(history.filter(isAnswer).map((answer) => answer.approval_request_id))
  const called = new Set(items.flatMap((item) => (item.type === "mcp_call" ? [item["approval_request_id"]] : [])))
  const denied: Array<ApprovedCall> = []
  const given = input.flatMap((item, index): ReadonlyArray<ApprovedCall> => {
    if (!isAnswer(item)) return []
    const id = item.approval_request_id
    const call = asked.get(id)
    const param = `input[${index}].approval_request_id`
    const wrong = (rule: string) => {
      reading.refuse(param, `${param}: ${rule}`)
      return []
    }
    if (call === undefined) {
      return wrong(`expected the id of an mcp_approval_request of this conversation; got "${shorten(id)}"`)
    }
    if (answered.has(id)) return wrong("is answered before; each approval has one answer")
    answered.add(id)
    const { arguments: text, name: tool, server_label: server } = call
    if (!item.approve) denied.push({ id, server, tool, arguments: text })
    if (!item.approve || called.has(id)) return []
    if (!reading.labels().includes(server)) return wrong(`its server "${shorten(server)}" is not among tools`)
    return [{ id, server, tool, arguments: text }]
  })
  const toldOf = (answer: Answer): ReadonlyArray<Item> => {
    const call = asked.get(answer.approval_request_id)
    return answer.approve || call === undefined ? [] : deniedItems(call, answer)
  }
  return { given, denied, toldOf }
}

/** The items that ask, by id. Each may be there once. */
const askedIn = (items: ReadonlyArray<InputItem>, { refuse }: Reading): ReadonlyMap<string, ApprovalRequest> => {
  const asked = new Map<string, ApprovalRequest>()
  for (const item of items) {
    if (item.type !== "mcp_approval_request" || !item.id) continue
    if (asked.has(item.id)) refuse("input", duplicateItem(item.id).message)
    asked.set(item.id, item)
  }
  return asked
}

const deniedItems = (
  { arguments: text, name: tool, server_label: label }: ApprovalRequest,
  { approval_request_id: callId, reason }: Answer
): ReadonlyArray<Item> => {
  const [name = ""] = serverToolNames([{ label, tool }], new Set())
  const told = reason ? `The call was not approved: ${reason}` : "The call was not approved."
  return [
    { type: "tool-call", callId, name, arguments: text, kind: "function" },
    { type: "tool-result", callId, content: [{ type: "text", text: told }], isError: true }
  ]
}
