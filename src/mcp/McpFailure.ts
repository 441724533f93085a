import { Data } from "effect"

/** How a call ended, other than by its result. */
export type McpTrouble = "protocol_error" | "http_error" | "timeout" | "too_large" | "refused"

/** A request without a usable answer. */
export class McpFailure extends Data.TaggedError("McpFailure")<{
  readonly outcome: McpTrouble
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  /** JSON-RPC's code for a protocol error, otherwise the status. */
  readonly code: number
  /** In the gateway's words, without the server's: callers and logs may have it. */
  readonly reason: string
  /** The server's own words, for the model and the caller alone. */
  readonly said?: string | undefined
  /** True if the request has certainly not left. */
  readonly neverSent?: boolean | undefined
  /** The `WWW-Authenticate` header of a refused credential. */
  readonly challenge?: string | undefined
  /** The page at which the person connects an account that is missing. */
  readonly connectUrl?: string | undefined
}> {}

/** An error in the form of OpenAI's `mcp_call.error`. */
export type McpError =
  | { readonly type: "mcp_protocol_error"; readonly code: number; readonly message: string }
  | { readonly type: "http_error"; readonly code: number; readonly message: string }
  | {
      readonly type: "mcp_tool_execution_error"
      readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
    }

const mostSaid = 2_000

/** A server's words, cut. */
export const cutWords = (text: string): string => (text.length > mostSaid ? `${text.slice(0, mostSaid)}…` : text)

export const errorOf = ({ code, outcome, reason, said }: McpFailure): McpError => ({
  type: outcome === "protocol_error" ? "mcp_protocol_error" : "http_error",
  code,
  message: said ?? reason
})

/** An answer that is not what the protocol asks for. */
export const wrongAnswer = (reason: string): McpFailure =>
  new McpFailure({ outcome: "protocol_error", status: 200, code: invalidMessage, reason })

export const httpFailure = (status: number, reason: string, said?: string, challenge?: string): McpFailure =>
  new McpFailure({ outcome: "http_error", status, code: status, reason, said, challenge })

export const tooLarge = (status: number, reason: string): McpFailure =>
  new McpFailure({ outcome: "too_large", status, code: status, reason })

export const late = (ms: number): McpFailure =>
  new McpFailure({ outcome: "timeout", status: 0, code: 0, reason: `it did not answer within ${ms / 1_000} s` })

/** True if the server refused a request as its client's fault, but not its credentials. */
export const isRefusal = ({ status }: McpFailure): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 403

/** JSON-RPC's "invalid request". */
const invalidMessage = -32_600
