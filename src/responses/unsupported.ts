import { isObject, listAt, textAt } from "../contract/json.ts"
import { isUsual } from "../contract/isUsual.ts"
import type { CarriedField } from "../generation/Conversation.ts"
import { hasBreakpoints, noToolLeft, unknownFields } from "../dispatch/unsupported.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import { CreateResponse } from "./CreateResponse.ts"
import { logprobsIncluded, ownTools } from "./decode.ts"
import { isHosted } from "./InputItem.ts"
import { clientToolOf, isClientTool } from "./clientTools/clientTools.ts"
import { isHostedTool } from "./ToolEntry.ts"
import type { ToolEntry } from "./ToolEntry.ts"
import { Unknown } from "../contract/Unknown.ts"

/** The parts of a request that neither its conversation nor the gateway can express. */
export const unsupported = (request: CreateResponse, body: unknown): ReadonlyArray<Unsupported> => [
  ...unknownFields(body, known),
  ...unknownFields(fieldOf(body, "reasoning"), knownOfReasoning, "reasoning."),
  ...unknownFields(fieldOf(body, "text"), knownOfText, "text."),
  ...chosen(request),
  ...droppedTools(request),
  ...(Array.isArray(request.input) ? request.input.filter(isHosted) : []).map(({ type }) => ({
    param: `input.${type}`
  })),
  ...toolsIn(body).flatMap((tool) => unknownFields(tool, knownOfTools, "tools[].")),
  ...named("prompt_cache_breakpoint", hasBreakpoints(listAt(body, "input"))),
  // The gateway's search, and that of other upstreams, reaches the web.
  ...named("tools[].external_web_access", toolsIn(body).some(isOffline)),
  // The tools of a namespace are told by their own descriptions.
  ...named("tools[].description", toolsIn(body).some(isDescribedNamespace)),
  // These refuse every other upstream, so parts that come with them are not listed.
  ...named("conversation", (request.conversation ?? null) !== null),
  ...named("prompt", (request.prompt ?? null) !== null),
  ...named("text.verbosity", !isUsual(request.text?.verbosity, "medium"), "verbosity"),
  // It counts the searches, which is all that others run.
  ...named("max_tool_calls", (request.max_tool_calls ?? null) !== null && !toolsIn(body).some(isSearch)),
  ...named("top_logprobs", (request.top_logprobs ?? 0) > 0, "logprobs"),
  ...named("include", (request.include ?? []).includes(logprobsIncluded), "logprobs"),
  ...named(
    "include",
    (request.include ?? []).some((name) => !knownIncludes.has(name) && name !== logprobsIncluded)
  ),
  ...named("user", isNamedTwice(request)),
  ...named("service_tier", !isUsual(request.service_tier, "auto", "default"), "serviceTier")
]

/** Tools that OpenAI runs are dropped, unless they are all that there are. */
const droppedTools = (request: CreateResponse): ReadonlyArray<Unsupported> => {
  const tools = ownTools(request)
  const types = tools.filter(isDropped).map(typeOf)
  const named = types.map((type) => ({ param: `tools.${type}` }))
  const isUseless = types.length > 0 && types.length === tools.length && request.tool_choice !== "none"
  return isUseless ? [...named, noToolLeft(types)] : named
}

const isDropped = (entry: ToolEntry): boolean => entry instanceof Unknown || isHostedTool(entry)

/** The caller's type of a tool, also of one that the contract does not know. */
const typeOf = (entry: ToolEntry): string =>
  (entry instanceof Unknown ? textAt(entry.sent, "type") : undefined) ?? entry.type

const chosen = (request: CreateResponse): ReadonlyArray<Unsupported> => {
  const { tool_choice: choice } = request
  if (typeof choice !== "object" || choice === null) return []
  const isServed = ({ type }: { readonly type: string }): boolean =>
    type === "function" ||
    type === "custom" ||
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

/** Other dialects have one field for the end user. */
const isNamedTwice = ({ safety_identifier, user }: CreateResponse): boolean =>
  Boolean(safety_identifier) && Boolean(user) && safety_identifier !== user

const named = (param: string, isAsked: boolean, carriedAs?: CarriedField): ReadonlyArray<Unsupported> =>
  isAsked ? [{ param, ...(carriedAs !== undefined && { carriedAs }) }] : []

const known = new Set([
  ...Object.keys(CreateResponse.fields),
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
const knownIncludes = new Set(["reasoning.encrypted_content", "web_search_call.action.sources"])

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

/** The supported tools as they were sent. */
const toolsIn = (body: unknown): ReadonlyArray<unknown> =>
  [
    ...listAt(body, "tools"),
    ...listAt(body, "input").flatMap((item) => (toolItems.has(textAt(item, "type") ?? "") ? listAt(item, "tools") : []))
  ].filter((tool) => servedTypes.has(textAt(tool, "type") ?? ""))

const isSearch = (tool: unknown): boolean => textAt(tool, "type")?.startsWith("web_search") === true

const isDescribedNamespace = (tool: unknown): boolean =>
  textAt(tool, "type") === "namespace" && Boolean(textAt(tool, "description"))

const isOffline = (tool: unknown): boolean => isObject(tool) && tool["external_web_access"] === false

const toolItems = new Set(["additional_tools", "tool_search_output"])
const servedTypes = new Set(["function", "custom", "namespace", "tool_search", "web_search", "web_search_preview"])
