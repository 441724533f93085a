import type { Redacted } from "effect"

/** A tool as its MCP server lists it, as far as a request chooses by it. */
export interface ListedTool {
  readonly name: string
  /** True if the server says that the tool changes nothing. */
  readonly isReadOnly: boolean
}

/** How a tool is offered to the model. */
export interface ToolOffer {
  /** True if the model gets it only once it has looked for it. */
  readonly isDeferred: boolean
  /** True if the caller approves each call. */
  readonly needsApproval: boolean
  /** True for a tool that the conversation takes away from the model. The caller is still shown that the server has it. */
  readonly isWithdrawn?: boolean
}

/** A tool of a list that the caller sends in place of the server's. */
export interface PinnedTool {
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** An MCP server whose tools the model may call, as the caller's request names it. */
export interface McpServerRequest {
  /** The caller's name of it, unique in the request. */
  readonly label: string
  /** Its address; undefined for one that the operator has registered under the label. */
  readonly url: string | undefined
  /** True if only the upstream can reach it (`connector_id`, `tunnel_id`). */
  readonly isUpstreams?: boolean
  /** The caller's token for it, which goes to no other server. */
  readonly token: Redacted.Redacted | undefined
  /** The headers of each call to it, and to no other server: credentials may be among them. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  /** Its purpose, for the model. */
  readonly description: string | undefined
  /** The path of the request's entry, for refusals. */
  readonly param: string
  /** Tells how a tool of the server is offered; undefined if it is not. */
  readonly offer: (tool: ListedTool) => ToolOffer | undefined
  /** The tools that the caller lists itself, so that the server is not asked. */
  readonly pinned: ReadonlyArray<PinnedTool> | undefined
}

/** A call that the caller has approved, before the model goes on. */
export interface ApprovedCall {
  /** Of the approval. */
  readonly id: string
  /** The label of its server. */
  readonly server: string
  /** The server's name of the tool. */
  readonly tool: string
  /** JSON text. */
  readonly arguments: string
}

/** The dialect's words where a server can't be used. */
export interface ServerWords {
  /** The fields of a server's label, of its address, and of the caller's token for it. */
  readonly labelField: string
  readonly urlField: string
  readonly tokenField: string
  /** The field that chooses among a server's tools. */
  readonly filterField: string
  /** The message of a server that did not list its tools. */
  readonly unlisted: (label: string, why: { readonly reason: string; readonly status: number }) => string
}

/** The most servers of a request. */
export const mostServers = 16
