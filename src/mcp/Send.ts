import type { Effect, Scope } from "effect"
import type { Streamed } from "../guard/download.ts"
import type { McpFailure } from "./McpFailure.ts"

/** A request to an MCP server or to what it names. A body is JSON, unless the headers say otherwise. */
export interface Sending {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request. Any status is an answer. The scope closes its connection, which cancels the request. */
export type Send = (sending: Sending) => Effect.Effect<Streamed, McpFailure, Scope.Scope>

/** The most time of a connection, in ms. The time of a request is bounded as a whole. */
export const connectMs = 5_000
/** More than any request may take, in ms. */
export const idleMs = 660_000
