import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json/json.ts"
import type { MirroredArgument } from "../McpServer.ts"
import { decodedHeader, mirrorHeaders } from "../mirrored.ts"
import type { RpcError } from "./Api.ts"
import { codes } from "./answers.ts"

/** A header that does not repeat the body (MCP 2026-07-28, streamable HTTP: server validation). */
export const mismatch = (header: string, member: string): RpcError => ({
  code: codes.headers,
  message: `Header mismatch: ${header} is not ${member}`
})

/** The first header of a modern request that does not repeat its body: proxies decide by headers. */
export const wrongHeaders = (headers: Headers, method: string, params: JsonObject): RpcError | undefined => {
  if (headers.get("mcp-method") !== method) return mismatch("Mcp-Method", "method")
  if (method !== "tools/call") return undefined
  return decodedHeader(headers.get("mcp-name")) === textAt(params, "name")
    ? undefined
    : mismatch("Mcp-Name", "params.name")
}

/** The same of the arguments that a tool wants in headers. */
export const wrongArguments = (
  headers: Headers,
  mirrored: ReadonlyArray<MirroredArgument>,
  input: JsonObject
): RpcError | undefined => {
  const wrong = Object.entries(mirrorHeaders(mirrored, input)).find(
    ([name, value]) => decodedHeader(headers.get(name)) !== decodedHeader(value)
  )
  return wrong && mismatch(wrong[0], "its argument")
}
