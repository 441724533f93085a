import { Struct } from "effect"
import { version } from "../../../package.json"
import type { JsonObject } from "../../contract/fields.ts"
import { listAt, objectAt } from "../../contract/json/json.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { imageLine } from "../../generation/imageLine.ts"
import type { McpEnd } from "../McpClient.ts"
import type { McpTool } from "../McpServer.ts"
import type { McpAnswer, RpcError } from "./Api.ts"

/** An answer over HTTP. A notification's has no body. */
export interface Answer {
  readonly status: number
  readonly body?: McpAnswer
}

/** A request that is answered in its own form: `modern` is revision 2026-07-28, `legacy` what came before it. */
export interface Asking {
  readonly id: string | number
  readonly era: "modern" | "legacy"
}

/** JSON-RPC's codes, and MCP's own from `-32022` on. */
export const codes = {
  unsupportedVersion: -32_022,
  headers: -32_020,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603
}

const serverInfo = { name: "model-gateway", version }

/** How long clients may keep a list, in ms. */
const keepMs = 60_000

export const accepted: Answer = { status: 202 }

export const errorAnswer = (id: Asking["id"] | null, error: RpcError, status = 200): Answer => ({
  status,
  body: { jsonrpc: "2.0", id, error }
})

/** A result, with the members that the client's revision has. */
export const resultAnswer = ({ era, id }: Asking, result: JsonObject): Answer => ({
  status: 200,
  body: { jsonrpc: "2.0", id, result: era === "legacy" ? Struct.omit(result, "resultType") : identified(result) }
})

/** Asks the client to lead its person to an address, and to call again. */
export const personLed = ({ id }: Asking, message: string, url: string): Answer => {
  const asked = { method: "elicitation/create", params: { mode: "url", message, url, elicitationId: randomHex() } }
  const result = { inputRequests: { connect: asked }, requestState: "connect" }
  return { status: 200, body: { jsonrpc: "2.0", id, result: identified(result, "input_required") } }
}

const identified = (result: JsonObject, resultType = "complete"): JsonObject => ({
  ...result,
  resultType,
  _meta: { ...objectAt(result, "_meta"), "io.modelcontextprotocol/serverInfo": serverInfo }
})

const cached = ({ era }: Asking): JsonObject => (era === "modern" ? { ttlMs: keepMs, cacheScope: "private" } : {})

/** No `listChanged`: clients would wait for a stream of changes. */
const capabilities = { tools: {} }

export const initialized = (asking: Asking, protocolVersion: string, instructions: JsonObject): Answer =>
  resultAnswer(asking, { protocolVersion, capabilities, serverInfo, ...instructions })

export const discovered = (asking: Asking, supportedVersions: ReadonlyArray<string>, instructions: JsonObject) =>
  resultAnswer(asking, { supportedVersions, capabilities, ...instructions, ...cached(asking) })

/** A tool with the name that this endpoint gives it. */
export interface NamedTool {
  readonly name: string
  readonly tool: Pick<McpTool, "description" | "inputSchema" | "annotations">
}

export const toolsListed = (asking: Asking, tools: ReadonlyArray<NamedTool>): Answer =>
  resultAnswer(asking, {
    tools: tools.map(({ name, tool: { annotations, description, inputSchema } }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema,
      annotations
    })),
    ...cached(asking)
  })

/** A call's end. Whatever failed is a result too, since models read results, and clients show errors to people. */
export const called = (asking: Asking, { parts, result }: Pick<McpEnd, "parts" | "result">): Answer => {
  if (result !== undefined) return resultAnswer(asking, { ...result, content: listAt(result, "content") })
  return failed(asking, parts.map((part) => (part.type === "text" ? part.text : imageLine(part))).join("\n"))
}

export const failed = (asking: Asking, text: string): Answer =>
  resultAnswer(asking, { content: [{ type: "text", text }], isError: true })
