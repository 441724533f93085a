import type { JsonObject } from "../contract/fields.ts"
import type { Logprobs } from "../generation/GenerationEvent.ts"
import type { Citation } from "../generation/Conversation.ts"
import { appendText } from "../generation/appendText.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import { emit } from "./encoding.ts"
import type { Draft, OpenMessage } from "./encoding.ts"
import type { ItemStatus, OutputItem, OutputPart, UrlCitation } from "./ResponseObject.ts"

const none: Logprobs = []

type TextItem = Extract<OpenItem, { readonly type: "text" | "refusal" }>

export const isText = (item: OpenItem): item is TextItem => item.type === "text" || item.type === "refusal"

/** Adds text to a message: to the open part if it is of the same kind, otherwise to a new one. */
export const resume = (draft: Draft, open: OpenMessage, kind: TextItem["type"]): void => {
  if ((open.part.type === "output_text") === (kind === "text")) {
    draft.open = { ...open, from: textOf(open.part).length }
    return
  }
  finishPart(draft, open)
  addPart(draft, { id: open.id, earlier: open.earlier.with(partOf(open)) }, kind)
}

export const addPart = (draft: Draft, message: Pick<OpenMessage, "id" | "earlier">, kind: TextItem["type"]): void => {
  const part: OutputPart =
    kind === "text"
      ? { type: "output_text", text: "", annotations: [], logprobs: [] }
      : { type: "refusal", refusal: "" }
  const open: OpenMessage = { type: "message", ...message, part, ...nothingYet(), from: 0 }
  draft.open = open
  emit(draft, "response.content_part.added", { ...place(draft, open), part })
}

const nothingYet = () => ({ annotations: GrowingList.empty<UrlCitation>(), logprobs: GrowingList.empty<JsonObject>() })

export const writeText = (draft: Draft, open: OpenMessage, delta: string, logprobs: Logprobs = none): void => {
  const { part } = open
  if (part.type === "output_text") {
    const all = logprobs.reduce((list, one) => list.with(one), open.logprobs)
    draft.open = { ...open, part: { ...part, text: appendText(part.text, delta) }, logprobs: all }
    emit(draft, "response.output_text.delta", { ...place(draft, open), delta, logprobs })
  } else {
    draft.open = { ...open, part: { ...part, refusal: part.refusal + delta } }
    emit(draft, "response.refusal.delta", { ...place(draft, open), delta })
  }
}

export const cite = (draft: Draft, open: OpenMessage, citation: Citation): void => {
  const { part, from } = open
  if (part.type !== "output_text") return
  const annotation: UrlCitation = {
    type: "url_citation",
    start_index: from + citation.start,
    end_index: from + citation.end,
    url: citation.url,
    title: citation.title
  }
  draft.open = { ...open, annotations: open.annotations.with(annotation) }
  emit(draft, "response.output_text.annotation.added", {
    ...place(draft, open),
    annotation_index: open.annotations.length,
    annotation
  })
}

export const finishPart = (draft: Draft, open: OpenMessage): void => {
  const part = partOf(open)
  const where = place(draft, open)
  if (part.type === "output_text") {
    emit(draft, "response.output_text.done", { ...where, text: part.text, logprobs: part.logprobs })
  } else {
    emit(draft, "response.refusal.done", { ...where, refusal: part.refusal })
  }
  emit(draft, "response.content_part.done", { ...where, part })
}

export const messageOf = (open: OpenMessage, status: ItemStatus): OutputItem => ({
  id: open.id,
  type: "message",
  status,
  role: "assistant",
  content: [...open.earlier.toArray(), partOf(open)]
})

const partOf = ({ annotations, logprobs, part }: OpenMessage): OutputPart =>
  part.type === "output_text" ? { ...part, annotations: annotations.toArray(), logprobs: logprobs.toArray() } : part

const textOf = (part: OutputPart) => (part.type === "output_text" ? part.text : part.refusal)

const place = (draft: Draft, open: OpenMessage) => ({
  item_id: open.id,
  output_index: draft.output.length,
  content_index: open.earlier.length
})
