import { Either } from "effect"
import { isObject, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { decodedHeader } from "../mirrored.ts"
import { legacyVersions, modernVersion } from "../requests.ts"

/** A request of a client. */
export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: JsonObject
  /** True for revision 2026-07-28, which has no handshake. */
  readonly isModern: boolean
}

/** A request that is not taken, or its failure. */
export interface RpcRefusal {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

/** The codes of JSON-RPC and of MCP. */
export const rpcCodes = {
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headers: -32_020,
  version: -32_022
} as const

const meta = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities"
}

/**
 * A client's message: undefined for a notification or an answer, which need no more than a 202. Requests of revision
 * 2026-07-28 repeat in headers what the body says, and are refused if the two differ.
 */
export const understand = (headers: Headers, body: JsonObject): Either.Either<RpcRequest | undefined, RpcRefusal> => {
  const { id, jsonrpc, method } = body
  const params = body["params"] ?? {}
  if (jsonrpc !== "2.0" || !isObject(params))
    return refuse(rpcCodes.invalidRequest, "expected a message of JSON-RPC 2.0")
  if (typeof method !== "string") {
    const isAnswer = "result" in body || "error" in body
    return isAnswer ? Either.right(undefined) : refuse(rpcCodes.invalidRequest, "method: expected a text")
  }
  if (id === undefined || id === null) return Either.right(undefined)
  if (typeof id !== "string" && typeof id !== "number") {
    return refuse(rpcCodes.invalidRequest, "id: expected a text or a number")
  }
  const told = headers.get("mcp-protocol-version")
  const named = textAt(params["_meta"], meta.version)
  const request = { id, method, params }
  if (named === undefined && told !== modernVersion) {
    const isKnown = told === null || told === "2024-11-05" || legacyVersions.includes(told)
    return isKnown ? Either.right({ ...request, isModern: false }) : unknownVersion(told)
  }
  return Either.map(checked(headers, request, named), () => ({ ...request, isModern: true }))
}

const checked = (
  headers: Headers,
  { method, params }: Pick<RpcRequest, "method" | "params">,
  named: string | undefined
): Either.Either<void, RpcRefusal> => {
  const told = headers.get("mcp-protocol-version")
  if (named === undefined) return refuse(rpcCodes.invalidParams, `params._meta: expected "${meta.version}"`)
  if (told !== named) return differs("MCP-Protocol-Version", `params._meta["${meta.version}"]`)
  if (named !== modernVersion) return unknownVersion(named)
  const metaOf = params["_meta"]
  if (!isObject(metaOf) || !isObject(metaOf[meta.capabilities])) {
    return refuse(rpcCodes.invalidParams, `params._meta: expected "${meta.capabilities}"`)
  }
  if (headers.get("mcp-method") !== method) return differs("Mcp-Method", "method")
  if (method !== "tools/call") return Either.void
  return decodedHeader(headers.get("mcp-name") ?? "") === params["name"]
    ? Either.void
    : differs("Mcp-Name", "params.name")
}

const refuse = (code: number, message: string, data?: JsonObject): Either.Either<never, RpcRefusal> =>
  Either.left({ status: 400, code, message, ...(data !== undefined && { data }) })

const differs = (header: string, member: string) =>
  refuse(rpcCodes.headers, `${header}: expected the same as ${member}`)

const unknownVersion = (requested: string) =>
  refuse(rpcCodes.version, "this version of MCP is not supported", { supported: [modernVersion], requested })
