import { Either } from "effect"
import type { JsonObject } from "../../contract/fields.ts"
import { isObject, objectAt, textAt } from "../../contract/json/json.ts"
import { legacyVersions, modernVersion } from "../requests.ts"
import type { McpMessage, RpcError } from "./Api.ts"
import { accepted, codes, discovered, errorAnswer, initialized, resultAnswer } from "./answers.ts"
import type { Answer, Asking } from "./answers.ts"
import { mismatch, wrongHeaders } from "./headers.ts"

/** A request that needs the servers: of their tools, or of one of them. */
export interface ToolRequest extends Asking {
  /** Absent for a list. */
  readonly call?: {
    readonly name: string
    readonly input: JsonObject
    /** True if the client leads its person to an address, and has not been asked to yet. */
    readonly leads?: boolean
  }
}

/** A message, which may be an answer. */
export interface Received extends McpMessage {
  readonly result?: unknown
  readonly error?: unknown
}

const versions = [modernVersion]
const versionKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

/**
 * Reads a client's message, and answers what needs no server.
 * @param instructions for the client's model; absent if there are none
 */
export const readMessage = (
  message: Received,
  headers: Headers,
  instructions: string | undefined
): Either.Either<ToolRequest, Answer> => {
  const { id, method } = message
  if (typeof method !== "string") return Either.left(isAnswer(message) ? accepted : noMethod(id))
  if (id === undefined || id === null) return Either.left(accepted)
  const params = message.params ?? {}
  const era = eraOf(headers.get("mcp-protocol-version"), params)
  if (typeof era !== "string") return Either.left(errorAnswer(id, era, 400))
  const asking = { id, era }
  if (era === "modern") {
    const wrong = wrongHeaders(headers, method, params)
    if (wrong !== undefined) return Either.left(errorAnswer(id, wrong, 400))
  }
  const told = instructions === undefined ? {} : { instructions }
  switch (method) {
    case "tools/list":
      return Either.right(asking)
    case "tools/call":
      return readCall(asking, params)
    case "server/discover":
      return Either.left(era === "modern" ? discovered(asking, versions, told) : unknownMethod(asking, method))
    case "initialize":
      return Either.left(era === "legacy" ? initialized(asking, agreed(params), told) : unknownMethod(asking, method))
    case "ping":
      return Either.left(era === "legacy" ? resultAnswer(asking, {}) : unknownMethod(asking, method))
    default:
      return Either.left(unknownMethod(asking, method))
  }
}

const isAnswer = ({ error, result }: Received): boolean => isObject(result) || isObject(error)

const noMethod = (id: Received["id"]): Answer =>
  errorAnswer(id ?? null, { code: codes.request, message: "method is required" }, 400)

const invalid = (message: string) => ({ code: codes.params, message })

/** The form of a request, or what is wrong with the version that it names. */
const eraOf = (header: string | null, params: JsonObject): Asking["era"] | RpcError => {
  const meta = objectAt(params, "_meta")
  const version = textAt(meta, versionKey)
  if (version === undefined) {
    if (header === null || legacyVersions.includes(header)) return "legacy"
    return header === modernVersion ? invalid(`params._meta["${versionKey}"] is required`) : unsupported(header)
  }
  if (header !== version) return mismatch("MCP-Protocol-Version", `params._meta["${versionKey}"]`)
  if (version !== modernVersion) return unsupported(version)
  const capabilities = meta?.[capabilitiesKey]
  return isObject(capabilities) ? "modern" : invalid(`params._meta["${capabilitiesKey}"] is required`)
}

const unsupported = (requested: string) => ({
  code: codes.unsupportedVersion,
  message: `Unsupported protocol version; expected ${modernVersion}, or initialize with ${legacyVersions[0]}`,
  data: { supported: versions, requested: requested.slice(0, 100) }
})

/** The client's version if it is known, otherwise the newest that has a handshake. */
const agreed = (params: JsonObject): string => {
  const wanted = textAt(params, "protocolVersion")
  return legacyVersions.find((version) => version === wanted) ?? legacyVersions[0] ?? modernVersion
}

const readCall = (asking: Asking, params: JsonObject): Either.Either<ToolRequest, Answer> => {
  const { arguments: input = {} } = params
  const name = textAt(params, "name")
  if (name === undefined || name === "") {
    return Either.left(errorAnswer(asking.id, invalid("params.name is required; expected the name of a tool")))
  }
  if (input !== null && !isObject(input)) {
    return Either.left(errorAnswer(asking.id, invalid("params.arguments: expected an object")))
  }
  const elicitation = objectAt(objectAt(objectAt(params, "_meta"), capabilitiesKey), "elicitation")
  const leads = asking.era === "modern" && isObject(elicitation?.["url"]) && params["requestState"] === undefined
  return Either.right({ ...asking, call: { name, input: input ?? {}, ...(leads && { leads }) } })
}

const unknownMethod = ({ era, id }: Asking, method: string): Answer =>
  errorAnswer(
    id,
    { code: codes.method, message: `Unknown method ${JSON.stringify(method.slice(0, 100))}` },
    era === "modern" ? 404 : 200
  )
