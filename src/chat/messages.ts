import { markLast, markOf } from "../generation/cacheMarks.ts"
import type { JsonObject } from "../contract/fields.ts"
import { objectAt, textAt } from "../contract/json/json.ts"
import { Unknown } from "../contract/Unknown.ts"
import type { DocumentPart, FileSource, Item, Part, TextPart } from "../generation/Conversation.ts"
import { atUrl, inlineFile } from "../generation/fileSource.ts"
import type { ContentPart, PartOf } from "./Content.ts"
import type { InputMessage, ToolCall } from "./InputMessage.ts"
import { interleave } from "./interleave.ts"
import { reasoningOf } from "./reasoning.ts"
import type { KeptSeals } from "./reasoning.ts"

/** Reports a mistake in a field. The caller sees the first one. */
export type Complain = (param: string, rule: string) => void

/** Messages as the conversation's items. Calls, results and reasoning become items of their own. */
export const itemsOf = (
  messages: ReadonlyArray<InputMessage>,
  { complain, kept, model }: Pick<Context, "complain" | "kept" | "model">
): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  const calls = new Calls()
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    const open = message.role === "tool" || message.role === "function" ? undefined : calls.unanswered()
    if (open !== undefined) complain(at, `expected a tool message that answers the call ${show(open)} first`)
    const found = itemsOfMessage(message, at, { calls, model, kept, complain, before: messages[index - 1] })
    items.push(...marked(found, message.cache_control))
  }
  const open = calls.unanswered()
  if (open !== undefined) complain("messages", `the call ${show(open)} has no tool message that answers it`)
  return items
}

/** A message's mark is its last item's. */
const marked = (items: ReadonlyArray<Item>, cacheControl: unknown): ReadonlyArray<Item> => {
  const last = items.at(-1)
  if (last === undefined || isAbsent(cacheControl)) return items
  const before = items.slice(0, -1)
  switch (last.type) {
    case "message":
    case "tool-result":
      return [...before, { ...last, content: markLast(last.content, cacheControl) }]
    case "tool-call":
      return [...before, { ...last, ...markOf(cacheControl) }]
    default:
      return items
  }
}

interface Context {
  readonly calls: Calls
  /** The previous message. */
  readonly before: InputMessage | undefined
  readonly model: string
  /** Stored reasoning that the client did not return. */
  readonly kept: KeptSeals
  readonly complain: Complain
}

/** The calls without a result yet. */
class Calls {
  readonly #open = new Set<string>()
  readonly #known = new Set<string>()
  /** Legacy calls have no ids; their results come in order. */
  readonly #unnamed: Array<string> = []
  #answeredUnnamed = 0

  called(id: string): void {
    this.#open.add(id)
    this.#known.add(id)
  }

  calledUnnamed(): string {
    const id = `call_function_${this.#known.size}`
    this.called(id)
    this.#unnamed.push(id)
    return id
  }

  /** Returns true if the call exists. */
  answered(id: string): boolean {
    this.#open.delete(id)
    return this.#known.has(id)
  }

  answeredUnnamed(): string | undefined {
    const id = this.#unnamed[this.#answeredUnnamed]
    if (id === undefined) return undefined
    this.#answeredUnnamed++
    this.#open.delete(id)
    return id
  }

  unanswered(): string | undefined {
    return this.#open.values().next().value
  }
}

const itemsOfMessage = (message: InputMessage, at: string, context: Context): ReadonlyArray<Item> => {
  const { complain } = context
  switch (message.role) {
    // A message of an unknown role counts as the user's.
    case undefined:
    case "developer":
    case "system":
    case "user": {
      const role = message.role === "developer" || message.role === "system" ? "system" : "user"
      return [{ type: "message", role, content: contentOf(message, at, complain) }]
    }
    case "assistant":
      return assistant(message, at, context)
    case "tool": {
      const callId = message.tool_call_id ?? ""
      if (callId === "") complain(`${at}.tool_call_id`, "is required with role tool")
      else if (!context.calls.answered(callId)) {
        complain(`${at}.tool_call_id`, `no earlier message has the call ${show(callId)}`)
      }
      return [{ type: "tool-result", callId, content: contentOf(message, at, complain), isError: false }]
    }
    case "function": {
      const callId = context.calls.answeredUnnamed()
      if (callId === undefined) complain(`${at}.role`, "function: no earlier message has a function_call to answer")
      return [{ type: "tool-result", callId: callId ?? "", content: contentOf(message, at, complain), isError: false }]
    }
  }
}

const assistant = (
  message: InputMessage,
  at: string,
  { before, calls, complain, kept, model }: Context
): ReadonlyArray<Item> => {
  const reasoning = reasoningOf(message, before, model, kept)
  const called: Array<Item> = []
  const toolCalls = message.tool_calls ?? []
  const legacy = message.function_call ?? undefined
  const refusal = message.refusal ?? ""
  const images = (message.images ?? []).map((made, index) => madeImage(made, `${at}.images[${index}]`, complain))
  const saysNothing =
    toolCalls.length + images.length === 0 && legacy === undefined && refusal === "" && isAbsent(message.audio)
  if (isAbsent(message.content) && saysNothing) {
    complain(`${at}.content`, "is required of an assistant's message without tool_calls")
  }
  const content = isAbsent(message.content) ? [] : contentOf(message, at, complain).filter(isSaid)
  if (refusal !== "") content.push({ type: "refusal", text: refusal })
  content.push(...images)
  for (const call of toolCalls) {
    if (call instanceof Unknown) continue
    calls.called(call.id)
    called.push(itemOfCall(call))
  }
  if (legacy !== undefined) {
    called.push({ type: "tool-call", callId: calls.calledUnnamed(), ...legacy, kind: "function" })
  }
  return interleave(reasoning, content, called)
}

/** An image of an earlier answer. */
const madeImage = (made: JsonObject, at: string, complain: Complain): Part => {
  const url = textAt(objectAt(made, "image_url"), "url") ?? ""
  return { type: "image", source: image({ type: "image_url", image_url: { url } }, at, complain), detail: "auto" }
}

const itemOfCall = (call: Exclude<ToolCall, Unknown>): Item =>
  call.type === "custom"
    ? { type: "tool-call", callId: call.id, name: call.custom.name, arguments: call.custom.input, kind: "custom" }
    : { type: "tool-call", callId: call.id, ...call.function, kind: "function" }

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Assistant messages with tool calls often have empty text. */
const isSaid = (part: Part): boolean => part.type !== "text" || part.text !== ""

const contentOf = ({ content, role }: InputMessage, at: string, complain: Complain): Array<Part> => {
  if (isAbsent(content)) {
    if (role !== "assistant") complain(`${at}.content`, "is required")
    return []
  }
  if (typeof content === "string") return [{ type: "text", text: content }]
  return (content ?? []).flatMap((part, index) => partOf(part, `${at}.content[${index}]`, complain))
}

const partOf = (part: ContentPart, at: string, complain: Complain): ReadonlyArray<Part> => {
  if (part instanceof Unknown) return []
  const parts = unmarked(part, at, complain)
  return "cache_control" in part ? markLast(parts, part.cache_control) : parts
}

const unmarked = (part: Exclude<ContentPart, Unknown>, at: string, complain: Complain): ReadonlyArray<Part> => {
  switch (part.type) {
    case "text":
      return [text(part)]
    case "refusal":
      return [{ type: "refusal", text: part.refusal }]
    case "image_url":
      return [{ type: "image", source: image(part, at, complain), detail: part.image_url.detail ?? "auto" }]
    case "file":
      return [file(part, at, complain)]
    case "input_audio":
      return [audio(part)]
  }
}

const text = ({ text }: PartOf<"text">): TextPart => ({ type: "text", text })

/** Upstreams that accept no audio are not asked (`unsupported.ts`). */
const audio = ({ input_audio: { data, format } }: PartOf<"input_audio">): DocumentPart => ({
  type: "document",
  source: { type: "base64", mediaType: `audio/${format}`, data },
  name: undefined
})

const image = ({ image_url: { url } }: PartOf<"image_url">, at: string, complain: Complain): FileSource => {
  const source = atUrl(url)
  if (source !== undefined && (source.type !== "base64" || source.mediaType.startsWith("image/"))) return source
  complain(`${at}.image_url.url`, `expected an http(s) URL or a base64 data URL of an image; got ${show(url)}`)
  return nothing
}

const file = ({ file }: PartOf<"file">, at: string, complain: Complain): Part => {
  const source = fileSource(file, at, complain)
  return source.type === "base64" && source.mediaType.startsWith("image/")
    ? { type: "image", source, detail: "auto" }
    : { type: "document", source, name: file.filename ?? undefined }
}

const fileSource = (file: PartOf<"file">["file"], at: string, complain: Complain): FileSource => {
  if (file.file_data && file.file_id) complain(`${at}.file.file_id`, "can't be sent together with file_data")
  if (file.file_data) {
    const source = inlineFile(file.file_data, file.filename ?? "")
    if (source === undefined) {
      complain(`${at}.file.file_data`, `expected a base64 data URL or base64; got ${show(file.file_data)}`)
    }
    return source ?? nothing
  }
  if (!file.file_id) complain(`${at}.file.file_data`, "is required with type file, unless file_id is given")
  return { type: "file", id: file.file_id ?? "" }
}

/** Replaces an invalid part. */
const nothing: FileSource = { type: "file", id: "" }

const show = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
