import { version } from "../../package.json"
import type { JsonObject } from "../contract/fields.ts"
import { headerText } from "./mirrored.ts"

/** The version without a handshake. */
export const modernVersion = "2026-07-28"
/** The versions with one, newest first. */
export const legacyVersions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26"]

const clientInfo = { name: "model-gateway", version }

/** A request or a notification: its body, and the headers that belong to it. */
export interface Message {
  readonly body: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/** Servers may answer with either. */
const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** A request that carries all that the server has to know. */
export const modernRequest = (id: number, method: string, params: JsonObject): Message => ({
  body: {
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modernVersion,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  },
  headers: {
    ...accept,
    "MCP-Protocol-Version": modernVersion,
    "Mcp-Method": method,
    ...(typeof params["name"] === "string" && { "Mcp-Name": headerText(params["name"]) })
  }
})

/** Opens a session. No capabilities: the server can ask nothing of a client that runs unattended. */
export const initialize = (id: number, wanted: string): Message => ({
  body: {
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: wanted, capabilities: {}, clientInfo }
  },
  headers: accept
})

/** A session that is open. */
export interface Session {
  readonly version: string
  /** Undefined if the server keeps none. */
  readonly id: string | undefined
}

/** A request, a notification or an answer within a session. */
export const inSession = ({ id, version: agreed }: Session, message: JsonObject): Message => ({
  body: { jsonrpc: "2.0", ...message },
  headers: sessionHeaders({ id, version: agreed })
})

export const sessionHeaders = ({ id, version: agreed }: Session): Readonly<Record<string, string>> => ({
  ...accept,
  ...(id !== undefined && { "Mcp-Session-Id": id }),
  // The oldest version knows no such header.
  ...(agreed !== "2025-03-26" && { "MCP-Protocol-Version": agreed })
})
