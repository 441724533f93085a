import type { JsonObject } from "../../contract/fields.ts"
import type { FunctionTool } from "../../generation/Conversation.ts"
import type { ItemStatus, OutputItem } from "../ResponseObject.ts"
import type { ToolEntry } from "../ToolEntry.ts"

/** A tool of the dialect that the caller runs: a function for the model, items of its own for the caller. */
export interface ClientTool {
  /** The type of its calls' items. */
  readonly call: ClientCall
  /** The prefix of their ids. */
  readonly prefix: ClientPrefix
  /** The model's name for it, unless a tool of the caller's has that name. */
  readonly name: string
  /** The types of its entries in `tools` and of its choice. */
  readonly types: ReadonlyArray<string>
  /** The function that stands for an entry of those types; undefined if only OpenAI runs that one. */
  readonly asFunction: (entry: ToolEntry) => Omit<FunctionTool, "type" | "name" | "strict"> | undefined
  /** The item of a call; undefined if that needs more of its arguments, or was cut and must not be run. */
  readonly itemOf: (state: CallState, args: JsonObject) => OutputItem | undefined
  /** The events between the item's beginning and its end. */
  readonly eventsOf?: (item: OutputItem, outputIndex: number) => ReadonlyArray<ClientEvent>
}

export type ClientCall = "shell_call" | "local_shell_call" | "apply_patch_call" | "computer_call" | "tool_search_call"

export type ClientPrefix = "sh" | "lsh" | "apc" | "cu" | "tsc"

/** The fields that calls of all tools have. */
export interface CallState {
  readonly id: string
  readonly call_id: string
  readonly status: ItemStatus
}

/** The type of an event and its fields. */
export type ClientEvent = readonly [type: string, fields: Readonly<Record<string, unknown>>]
