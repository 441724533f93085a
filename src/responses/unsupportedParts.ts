import { isObject, listAt, textAt } from "../contract/json/json.ts"
import { lossesOf, refusedBy } from "../dispatch/requestFates.ts"
import { hasBreakpoints, noToolLeft, unknownFields } from "../dispatch/unsupported.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { ownTools } from "./decode.ts"
import { fates, includesUnknown } from "./fates.ts"
import { isHosted } from "./InputItem.ts"
import { clientToolOf, isClientTool } from "./clientTools/clientTools.ts"
import { defersServer } from "../pipeline/mcpEntries.ts"
import { servedTools } from "./servedTools.ts"
import { isHostedTool } from "./ToolEntry.ts"
import type { ToolEntry } from "./ToolEntry.ts"
import { Unknown } from "../contract/Unknown.ts"

/** The parts of a request that neither its conversation nor the gateway can express. */
export const unsupportedParts = (
  request: CreateResponse,
  body: unknown,
  runsServers = false
): ReadonlyArray<Unsupported> => [
  ...unknownFields(body, known),
  ...unknownFields(fieldOf(body, "reasoning"), knownOfReasoning, "reasoning."),
  ...unknownFields(fieldOf(body, "text"), knownOfText, "text."),
  ...chosen(request, runsServers),
  ...droppedTools(request, body, runsServers),
  ...(Array.isArray(request.input) ? request.input.filter(isHosted) : []).map(({ type }) => ({
    param: `input.${type}`
  })),
  ...servedTools(body).flatMap((tool) => unknownFields(tool, knownOfTools, "tools[].")),
  ...named("prompt_cache_breakpoint", hasBreakpoints(listAt(body, "input"))),
  // The gateway's search, and that of other upstreams, reaches the web.
  ...named("tools[].external_web_access", servedTools(body).some(isOffline)),
  // The tools of a namespace are told by their own descriptions.
  ...named("tools[].description", servedTools(body).some(isDescribedNamespace)),
  ...named("include", includesUnknown(request)),
  // These refuse every other upstream, so parts that come with them are not listed.
  ...refusalOf.flatMap((param) => named(param, (fieldOf(request, param) ?? null) !== null)),
  ...losses.flatMap(({ field, isAsked, unsupported }) =>
    request[field] !== undefined && isAsked(request, body) ? [unsupported] : []
  )
]

const losses = lossesOf(fates)
const refusalOf = refusedBy(fates).map(([param]) => param)

/** Tools that OpenAI runs are dropped, unless they are all that there are. */
const droppedTools = (request: CreateResponse, body: unknown, runsServers: boolean): ReadonlyArray<Unsupported> => {
  const isServed = ({ type }: ToolEntry) =>
    runsServers && (type === "mcp" || (type === "tool_search" && defersServer(body)))
  const tools = ownTools(request).filter((tool) => !isServed(tool))
  const types = tools.filter(isDropped).map(typeOf)
  const nameIf = types.map((type) => ({ param: `tools.${type}` }))
  const isUseless = types.length > 0 && types.length === tools.length && request.tool_choice !== "none"
  return isUseless ? [...nameIf, noToolLeft(types)] : nameIf
}

const isDropped = (entry: ToolEntry): boolean => entry instanceof Unknown || isHostedTool(entry)

/** The caller's type of a tool, also of one that the contract does not know. */
const typeOf = (entry: ToolEntry): string =>
  (entry instanceof Unknown ? textAt(entry.sent, "type") : undefined) ?? entry.type

const chosen = (request: CreateResponse, runsServers: boolean): ReadonlyArray<Unsupported> => {
  const { tool_choice: choice } = request
  if (typeof choice !== "object" || choice === null) return []
  const isServed = ({ type }: { readonly type: string }): boolean =>
    type === "function" ||
    type === "custom" ||
    (runsServers && type === "mcp") ||
    type.startsWith("web_search") ||
    ownTools(request).some((entry) => isClientTool(entry) && clientToolOf(type)?.types.includes(entry.type))
  const refused = (param: string, type: string): Unsupported => ({
    param,
    refusal: `${param}: this model's upstream does not run ${type}`
  })
  if (choice.type !== "allowed_tools") return isServed(choice) ? [] : [refused("tool_choice.type", choice.type)]
  const dropped = choice.tools.filter((tool) => !isServed(tool))
  const [first] = dropped
  if (first === undefined) return []
  return dropped.length < choice.tools.length
    ? [{ param: "tool_choice.tools" }]
    : [refused("tool_choice.tools[0].type", first.type)]
}

const named = (param: string, isAsked: boolean): ReadonlyArray<Unsupported> => (isAsked ? [{ param }] : [])

const known = new Set([
  ...Object.keys(fates),
  // Stream padding and client metadata, which do not change the answer.
  "stream_options",
  "client_metadata"
])
const knownOfReasoning = new Set(["effort", "summary", "generate_summary"])
const knownOfText = new Set(["format", "verbosity"])
/** The fields of all supported tools. Unsupported tools are reported as a whole. */
const knownOfTools = new Set(
  (
    "type name description parameters strict format tools filters filter search_context_size user_location " +
    // Web search always reaches the web here, and the model gets every tool at once.
    "external_web_access defer_loading execution"
  ).split(" ")
)

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

const isDescribedNamespace = (tool: unknown): boolean =>
  textAt(tool, "type") === "namespace" && Boolean(textAt(tool, "description"))

const isOffline = (tool: unknown): boolean => isObject(tool) && tool["external_web_access"] === false
