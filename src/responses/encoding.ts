import type { JsonObject } from "../contract/fields.ts"
import type { GrowingList } from "../generation/GrowingList.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import type { ShownTool } from "../generation/ServerCall.ts"
import type { State as SequenceState } from "../generation/sequence.ts"
import type { ClientTools } from "./clientTools/clientTools.ts"
import type { ClientPrefix } from "./clientTools/ClientTool.ts"
import type { OutputItem, OutputPart, ResponseObject, UrlCitation } from "./ResponseObject.ts"

/** The inputs of an answer's encoder. */
export interface Encoding {
  /** The response at its beginning (`initialResponse`). */
  readonly response: ResponseObject
  /** The id of the output item at an index. */
  readonly itemId: (prefix: ItemPrefix, index: number) => string
  /** Unix seconds. */
  readonly now: () => number
  readonly include: Include
  /** The callers' names of the tools of a namespace (`Toolbox.namespaced`). */
  readonly namespaced: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>
  /** The dialect's tools that the caller runs (`Toolbox.clientTools`). */
  readonly clientTools: ClientTools
}

export type ItemPrefix = "msg" | "rs" | "fc" | "ctc" | "ws" | "ig" | "mcpl" | "mcp" | "mcpr" | ClientPrefix

/** Optional parts of the output that the caller sees. */
export interface Include {
  readonly searchSources: boolean
  readonly encryptedReasoning: boolean
}

/** One server-sent event of a Responses stream. */
export interface ResponseFrame {
  readonly type: string
  readonly sequence_number: number
  readonly [field: string]: unknown
}

export interface State {
  readonly sequence: SequenceState
  /** The number of frames so far, which is the next `sequence_number`. */
  readonly sent: number
  /** The finished items. */
  readonly output: GrowingList<OutputItem>
  readonly open: Open | undefined
  /** The response of the last lifecycle frame. At the end it is the whole answer. */
  readonly response: ResponseObject
}

/** An answer to store. */
export interface Encoded {
  readonly response: ResponseObject
  /** With the parts that the caller does not see. */
  readonly output: ReadonlyArray<OutputItem>
}

export const encodedOf = ({ output, response }: State): Encoded => ({ output: output.toArray(), response })

/** The open output item. */
export type Open =
  | OpenMessage
  | OpenReasoning
  | OpenCall
  | OpenSearch
  | OpenImage
  | OpenServerTools
  | OpenServerCall
  | OpenApproval

export interface OpenMessage {
  readonly type: "message"
  readonly id: string
  readonly earlier: GrowingList<OutputPart>
  /** The open part. Its annotations are added once it is complete. */
  readonly part: OutputPart
  readonly annotations: GrowingList<UrlCitation>
  readonly logprobs: GrowingList<JsonObject>
  /** The offset of the model's current text in the part. Consecutive texts are one part. */
  readonly from: number
}

export interface OpenReasoning {
  readonly type: "reasoning"
  readonly id: string
  readonly text: string
  readonly redacted: string | undefined
}

export interface OpenCall {
  readonly type: "call"
  readonly id: string
  readonly call: Extract<OpenItem, { readonly type: "tool-call" }>
  readonly text: string
}

export interface OpenSearch {
  readonly type: "search"
  readonly id: string
  readonly query: string
  readonly upstreamId: string
}

export interface OpenImage {
  readonly type: "image"
  readonly id: string
  readonly mediaType: string
  readonly data: string
}

export interface OpenServerTools {
  readonly type: "server-tools"
  readonly id: string
  readonly server: string
  readonly tools: ReadonlyArray<ShownTool>
}

export interface OpenServerCall {
  readonly type: "server-call"
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly approval: string | null
  /** The arguments so far. */
  readonly text: string
}

export interface OpenApproval {
  readonly type: "approval"
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly text: string
}

/** A mutable copy of the state during one step. */
export interface Draft {
  readonly encoding: Encoding
  readonly frames: Array<ResponseFrame>
  sent: number
  output: GrowingList<OutputItem>
  open: Open | undefined
  response: ResponseObject
}

export const emit = (draft: Draft, type: string, fields: Readonly<Record<string, unknown>>): void => {
  draft.frames.push({ type, sequence_number: draft.sent++, ...fields })
}

/** An item without the parts that the caller may not see. */
export const shownItem = (item: OutputItem, include: Include): OutputItem => {
  if (item.type === "reasoning" && !include.encryptedReasoning) {
    const { encrypted_content: _, ...rest } = item
    return rest
  }
  if (item.type !== "web_search_call") return item
  const { action, encrypted_content, ...rest } = item
  const { sources: _, ...withoutSources } = action
  return {
    ...rest,
    action: include.searchSources ? action : withoutSources,
    ...(encrypted_content === undefined || !include.encryptedReasoning ? {} : { encrypted_content })
  }
}
