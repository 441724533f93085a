import type { Effect, Redacted } from "effect"
import type { Era } from "./Eras.ts"
import type { McpFailure } from "./McpFailure.ts"
import type { Send } from "./Send.ts"

/** An MCP server, and how it is reached. */
export interface McpServer {
  readonly url: string
  /** The headers of each request, credentials among them. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly send: Send
  /** The most time of a call, in ms. */
  readonly callMs: number
  /** How long its list is kept if it names no time itself, in ms; 0 for a server that is asked each time. */
  readonly listMs: number
  /** Absent for a server that is not watched. */
  readonly watch?: ServerWatch | undefined
}

/** Told of what a server does. */
export interface ServerWatch {
  /** A list that came, not one that was kept. */
  readonly listed: (list: McpList, era: Era | undefined) => Effect.Effect<void>
  /** @param isList false for a call that the server did not answer */
  readonly failed: (failure: McpFailure, isList: boolean) => Effect.Effect<void>
}

/** A tool as its server lists it. */
export interface McpTool {
  readonly name: string
  /** Untrusted text of the server's. */
  readonly description: string | undefined
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: ToolAnnotations
  /** The arguments that a call repeats in headers. */
  readonly mirrored: ReadonlyArray<MirroredArgument>
}

/** A server's own description of its tool, which only the operator can decide to believe. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** An argument that `x-mcp-header` names. */
export interface MirroredArgument {
  readonly header: string
  /** The names of the properties that lead to it. */
  readonly path: ReadonlyArray<string>
  readonly type: "string" | "integer" | "boolean"
}

/** A server's tools, in its order. */
export interface McpList {
  readonly tools: ReadonlyArray<McpTool>
  /** Why tools were left out, in the gateway's words. */
  readonly warnings: ReadonlyArray<string>
}
