import type { InvalidRequest } from "../contract/failures/Failure.ts"
import { makeObjection, unknownIn } from "../contract/open.ts"
import { Unknown } from "../contract/Unknown.ts"
import type { Conversation, Item, OutputFormat, Reasoning, Tool, ToolChoice } from "../generation/Conversation.ts"
import { markOf } from "../generation/cacheMarks.ts"
import { demandsOf } from "../generation/demandsOf.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import type { AskedServers } from "../pipeline/TextFamily.ts"
import { blocksOf, isHostedBlock } from "./Blocks.ts"
import type { ContentBlock } from "./Blocks.ts"
import { clientToolAsFunction } from "./clientTools.ts"
import { items } from "./content.ts"
import { isOwnCall } from "./mcp/mcpBlocks.ts"
import { serversOf } from "./mcp/serversOf.ts"
import { CountTokens, CreateMessage } from "./Request.ts"
import type { AnyRequest } from "./Request.ts"
import { definedTools, isToolChange, offeredTools } from "./offeredTools.ts"
import { brokenRule } from "./rules.ts"
import { isWebSearch, toolName } from "./toolName.ts"
import { isHosted } from "./Tools.ts"
import type * as Wire from "./Tools.ts"
import { unsupportedParts } from "./unsupportedParts.ts"
import type { RequestParts } from "./unsupportedParts.ts"
import { versionRule } from "./versionRule.ts"

/** A request as the gateway understands it. */
export interface Understood {
  readonly conversation: Conversation
  /**
   * The first thing that the gateway does not understand or allow. Only an upstream of this dialect can then serve the
   * request.
   */
  readonly objection: () => InvalidRequest | undefined
  /** True if it has calls of servers that the gateway made. */
  readonly hasOwnCalls: boolean
  readonly mayReachWeb: boolean
  /** The MCP servers that the request names; absent if it names none. */
  readonly servers?: AskedServers
  /**
   * The parts that the conversation cannot express.
   *
   * @param runsServers true if the gateway runs the tools of the request's servers
   */
  readonly unsupported: (runsServers?: boolean) => ReadonlyArray<Unsupported>
}

const unknownOf = { create: makeObjection(CreateMessage), count: makeObjection(CountTokens) }

/** Describes a request as a `Conversation`, and lists what that cannot express. */
export const understand = (
  request: AnyRequest,
  body: unknown,
  as: keyof typeof unknownOf = "create",
  headers: Headers = new Headers()
): Understood => {
  // Collected once, because long histories have hundreds.
  const blocks = blocksOf(request)
  const toolChanges = blocks.filter(isToolChange)
  const betas = headers.get("anthropic-beta") ?? ""
  const servers = serversOf(request, body, betas)
  const parts = {
    blocks,
    hosted: blocks.filter(isHostedBlock),
    toolChanges,
    offered: offeredTools(request, toolChanges),
    hasServers: servers !== undefined
  }
  // Computed here, because a large request is turned into items in a later turn of the event loop.
  const objection = unknownOf[as](request, body) ?? brokenRule(request, parts, betas)
  return {
    conversation: conversation(request, body, parts, versionRule(request, headers.get("anthropic-version"))),
    ...(servers && { servers }),
    objection: () => objection,
    hasOwnCalls: blocks.some(isOwnCall),
    mayReachWeb:
      (request.tools ?? []).some(reachesWeb) ||
      definedTools(toolChanges).some((tool) => tool === undefined || reachesWeb(tool)) ||
      servers !== undefined ||
      blocks.some((block) => block instanceof Unknown),
    unsupported: (runsServers) => unsupportedParts(request, body, parts, runsServers)
  }
}

const reachesWeb = (tool: Wire.Tool): boolean => tool instanceof Unknown || isHosted(tool)

const conversation = (
  request: AnyRequest,
  body: unknown,
  { hosted, offered }: RequestParts,
  providersRefusal: InvalidRequest | undefined
): Conversation => {
  let made: ReadonlyArray<Item> | undefined
  return {
    model: request.model,
    system: system(request.system ?? []),
    ...systemMarks(request.system),
    ...markOf(request.cache_control),
    /*
     * Computed on first use, which passthrough rarely needs: it would be 14 of 22 KB of garbage for a request with
     * twenty messages.
     */
    get items() {
      return (made ??= items(request.messages))
    },
    tools: offered.flatMap(tool),
    toolChoice: toolChoice(request.tool_choice ?? { type: "auto" }),
    parallelToolCalls: !isSerial(request.tool_choice ?? { type: "auto" }),
    reasoning: reasoning(request),
    sampling: {
      temperature: request.temperature ?? undefined,
      topP: request.top_p ?? undefined,
      topK: request.top_k ?? undefined
    },
    maxOutputTokens: request.max_tokens,
    outputParam: "max_tokens",
    stopSequences: request.stop_sequences ?? [],
    format: format(request),
    formatParam: "output_config.format",
    inputParam: "messages",
    prefills: typeof request.messages !== "string" && request.messages.at(-1)?.role === "assistant",
    truncation: "disabled",
    endUser: request.metadata?.user_id ?? undefined,
    cacheKey: undefined,
    // Of its values, the one that upstreams of other dialects have too.
    ...(typeof body === "object" &&
      body !== null &&
      "service_tier" in body &&
      body.service_tier === "standard_only" && { serviceTier: "default" }),
    demands: () => demandsOf(body, "max_uses"),
    ...(providersRefusal !== undefined && { providersRefusal }),
    ...beyond(request, hosted)
  }
}

/** The size of the parts that only an upstream of this dialect understands. */
const beyond = (request: AnyRequest, hosted: ReadonlyArray<ContentBlock>): Pick<Conversation, "unknownBytes"> => {
  const unknown = unknownIn(request)
  return hosted.length + unknown.length === 0 ? {} : { unknownBytes: JSON.stringify([hosted, unknown]).length }
}

const system = (system: NonNullable<AnyRequest["system"]>): ReadonlyArray<string> =>
  (typeof system === "string" ? [system] : system.map(({ text }) => text)).filter((text) => text !== "")

/** The marks of system texts; most requests have none. */
const systemMarks = (system: AnyRequest["system"]): Pick<Conversation, "systemMarks"> => {
  if (typeof system === "string") return {}
  const marks = (system ?? []).flatMap(({ cache_control, text }) => {
    const { cacheMark } = markOf(cache_control)
    return cacheMark === undefined || text === "" ? [] : [[text, cacheMark] as const]
  })
  return marks.length === 0 ? {} : { systemMarks: new Map(marks) }
}

const tool = (wire: Wire.Tool): ReadonlyArray<Tool> => {
  if (wire instanceof Unknown || isHosted(wire)) return []
  if (isWebSearch(wire)) return [searchTool(wire)]
  const mark = markOf(wire.cache_control)
  if (!("input_schema" in wire)) return [{ ...clientToolAsFunction(wire.type, wire.name ?? wire.type), ...mark }]
  return [
    {
      type: "function",
      name: wire.name,
      description: wire.description ?? undefined,
      parameters: wire.input_schema,
      strict: wire.strict ?? undefined,
      ...mark
    }
  ]
}

const searchTool = (wire: Wire.WebSearchTool): Tool => ({
  type: "search",
  ...markOf(wire.cache_control),
  name: toolName(wire),
  allowedDomains: nonEmpty(wire.allowed_domains),
  blockedDomains: nonEmpty(wire.blocked_domains),
  maxUses: wire.max_uses ?? undefined,
  contextSize: "medium",
  location:
    wire.user_location === undefined || wire.user_location === null
      ? undefined
      : {
          city: wire.user_location.city ?? undefined,
          region: wire.user_location.region ?? undefined,
          country: wire.user_location.country ?? undefined,
          timezone: wire.user_location.timezone ?? undefined
        }
})

const nonEmpty = (domains: ReadonlyArray<string> | null | undefined) =>
  domains === undefined || domains === null || domains.length === 0 ? undefined : domains

const toolChoice = (choice: Wire.ToolChoice): ToolChoice => {
  switch (choice.type) {
    case "auto":
    case "none":
      return { type: choice.type }
    case "any":
      return { type: "required", names: undefined }
    case "tool":
      return { type: "tool", name: choice.name }
  }
}

const isSerial = (choice: Wire.ToolChoice) => choice.type !== "none" && (choice.disable_parallel_tool_use ?? false)

const reasoning = ({ thinking, output_config }: AnyRequest): Reasoning => ({
  enabled: thinking === undefined || thinking === null ? undefined : thinking.type !== "disabled",
  effort: output_config?.effort ?? undefined,
  budgetTokens: thinking?.type === "enabled" ? thinking.budget_tokens : undefined,
  summary: thinking === undefined || thinking === null || isHidden(thinking) ? undefined : "auto"
})

/** True if the caller wants thinking signed but not shown. */
export const isHidden = (thinking: AnyRequest["thinking"]): boolean =>
  thinking !== undefined && thinking !== null && thinking.type !== "disabled" && thinking.display === "omitted"

const format = ({ output_config, output_format }: AnyRequest): OutputFormat => {
  const wanted = output_config?.format ?? output_format ?? undefined
  return wanted === undefined
    ? { type: "text" }
    : { type: "json-schema", name: "answer", description: undefined, schema: wanted.schema, strict: undefined }
}
