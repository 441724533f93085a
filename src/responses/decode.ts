import { InvalidRequest } from "../contract/failures/Failure.ts"
import { refusedBy } from "../dispatch/requestFates.ts"
import type { Conversation, Item, OutputFormat, Reasoning } from "../generation/Conversation.ts"
import { demandsOf } from "../generation/demandsOf.ts"
import { effortOf } from "../generation/effort.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isUsual } from "../contract/isUsual.ts"
import { makeObjection, unknownIn } from "../contract/open.ts"
import { Unknown } from "../contract/Unknown.ts"
import { CountInputTokens, CreateResponse } from "./CreateResponse.ts"
import { conversationOf } from "./conversations/conversationOf.ts"
import { fates, logprobsIncluded } from "./fates.ts"
import { askedServers } from "../pipeline/askedServers.ts"
import { mcpServers, serverWords } from "../pipeline/mcpEntries.ts"
import type { AskedServers } from "../pipeline/TextFamily.ts"
import { isOwnServerItem } from "./ids.ts"
import { isHosted, toolsOf } from "./InputItem.ts"
import type { InputItem } from "./InputItem.ts"
import { checkPairs, itemsOf } from "./items.ts"
import { approvalsOf } from "./mcp/approvals.ts"
import type { Approvals } from "./mcp/approvals.ts"
import { mcpEchoes } from "./mcp/mcpEchoes.ts"
import { serverChoice } from "./mcp/serverChoice.ts"
import { isHostedTool } from "./ToolEntry.ts"
import type { ToolEntry } from "./ToolEntry.ts"
import { toolbox } from "./tools.ts"
import type { Toolbox } from "./tools.ts"

/** Stored items that precede a request's own, or replace references in it. */
export interface Replay {
  /** Input and output of the chain that `previous_response_id` continues, oldest first. */
  readonly history: ReadonlyArray<InputItem>
  /** The request's own input, with every `item_reference` resolved. */
  readonly input: ReadonlyArray<InputItem>
  /** The id of the chain's first response; absent for a request that continues none. */
  readonly first?: string | undefined
  /** Its conversation, which the gateway keeps; the token is the right to add to it. */
  readonly conversation?: { readonly id: string; readonly token?: string } | undefined
}

/** A request of either endpoint. One to count tokens has fewer fields. */
type AnyRequest = CountInputTokens & Partial<Omit<CreateResponse, keyof CountInputTokens>>

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
  readonly toolbox: () => Toolbox
  /** The MCP servers that the request names; absent if it names none. */
  readonly servers?: AskedServers
  /** Those servers for the response object. */
  readonly echoes?: ReadonlyArray<JsonObject>
}

/** The first part of a request that the gateway does not understand, checked before any look-up. */
export const unknownOf = {
  create: (request: AnyRequest, body: unknown) => unknown.create(request, body) ?? keptElsewhere(request),
  count: (request: AnyRequest, body: unknown) => unknown.count(request, body) ?? keptElsewhere(request)
}

const unknown = { create: makeObjection(CreateResponse), count: makeObjection(CountInputTokens) }

/**
 * Describes a request as a `Conversation`, and lists what that cannot express; or returns the reason to refuse it.
 * Expensive parts are computed on first use, because passthrough rarely needs them.
 */
export const understand = (
  request: AnyRequest,
  body: unknown,
  replay: Replay,
  as: keyof typeof unknownOf = "create"
): Understood | InvalidRequest => {
  const no = unserved(request)
  if (no !== undefined) return no
  const effort = effortOf(request.model, request.reasoning?.effort ?? undefined, "reasoning.effort")
  const servers: AskedServers | undefined = request.tools
    ? serversOf(request, body, replay, {
        approved: () => translation().approvals.given,
        denied: () => translation().approvals.denied
      })
    : undefined
  let known: Translated | undefined
  const translation = (): Translated => (known ??= translate(request, replay, servers))
  const parts = unknownIn(request)
  const own = itemsWithin(request)
  const hosted = own.filter(isHosted)
  return {
    conversation: {
      model: request.model,
      system: request.instructions ? [request.instructions] : [],
      get items() {
        return translation().items
      },
      get tools() {
        return translation().toolbox.tools
      },
      get toolChoice() {
        return translation().toolbox.choice
      },
      parallelToolCalls: request.parallel_tool_calls ?? true,
      reasoning: reasoningOf(request, effort instanceof InvalidRequest ? undefined : effort),
      sampling: {
        temperature: request.temperature ?? undefined,
        topP: request.top_p ?? undefined,
        topK: undefined
      },
      maxOutputTokens: request.max_output_tokens ?? undefined,
      outputParam: "max_output_tokens",
      stopSequences: [],
      format: formatOf(request),
      truncation: request.truncation ?? "disabled",
      endUser: request.safety_identifier ?? request.user ?? undefined,
      cacheKey: request.prompt_cache_key ?? undefined,
      cacheRetention: request.prompt_cache_retention || undefined,
      ...carriedOf(request),
      demands: () => demandsOf(body, "max_tool_calls", [...replay.history, ...replay.input]),
      cachesByItself: true,
      get unknownBytes() {
        return parts.length + hosted.length === 0 ? undefined : JSON.stringify([parts, hosted]).length
      }
    },
    ...(servers && { servers, echoes: mcpEchoes(body) }),
    objection: () =>
      unknownOf[as](request, body) ?? (effort instanceof InvalidRequest ? effort : translation().problem),
    hasOwnCalls: replay.history.some(isOwnServerItem) || replay.input.some(isOwnServerItem),
    mayReachWeb:
      hosted.length > 0 ||
      // A stored prompt may have tools of its own.
      isGiven(request.prompt) ||
      ownTools(request).some((tool) => tool instanceof Unknown || isHostedTool(tool)) ||
      own.some((item) => item instanceof Unknown),
    toolbox: () => translation().toolbox
  }
}

const serversOf = (
  { max_tool_calls: mostCalls, tool_choice: choice, tools }: AnyRequest,
  body: unknown,
  { history, input }: Replay,
  approvals: Pick<AskedServers, "approved" | "denied">
): AskedServers | undefined => {
  if (tools?.some(({ type }) => type === "mcp") !== true) return undefined
  return askedServers((complain) => mcpServers(body, complain), {
    mostCalls: mostCalls ?? undefined,
    words: serverWords,
    choice: serverChoice(choice),
    ...approvals,
    isShown: (label) => [history, input].some((items) => items.some((item) => isListOf(item, label)))
  })
}

const isListOf = (item: InputItem, label: string): boolean =>
  item.type === "mcp_list_tools" && item["server_label"] === label

interface Translated {
  readonly items: ReadonlyArray<Item>
  readonly toolbox: Toolbox
  readonly approvals: Pick<Approvals, "given" | "denied">
  readonly problem: InvalidRequest | undefined
}

const translate = (request: AnyRequest, replay: Replay, servers: AskedServers | undefined): Translated => {
  let problem: InvalidRequest | undefined
  const refuse = (param: string, message: string) => {
    problem ??= new InvalidRequest({ param, message })
  }
  const complain = (param: string, rule: string) => refuse(param, `${param}: ${rule}`)
  const placed = [
    // Checked when it was stored.
    ...replay.history.map((item) => ({ item, path: "input" })),
    ...replay.input.map((item, index) => ({ item, path: `input[${index}]` }))
  ]
  const added = placed.map(({ item, path }) => ({ path: `${path}.tools`, entries: toolsOf(item) }))
  const tools = toolbox(request, [{ path: "tools", entries: request.tools ?? [] }, ...added], complain)
  const { nameOf } = tools
  const labels = () => servers?.list().map(({ label }) => label) ?? []
  const approvals = approvalsOf(replay, { labels, refuse })
  const reading = { model: request.model, nameOf, complain, approvals }
  const items = placed.flatMap(({ item, path }) => itemsOf(item, path, reading))
  const trigger = replay.input.findIndex(({ type }) => type === "compaction_trigger")
  if (trigger !== -1 && trigger < replay.input.length - 1) {
    complain(`input[${trigger}].type`, "compaction_trigger is expected as the last item alone")
  }
  checkPairs(items, (message) => refuse("input", message))
  return { items, toolbox: tools, approvals, problem }
}

const reasoningOf = ({ reasoning }: AnyRequest, effort: Reasoning["effort"]): Reasoning => ({
  enabled: effort === undefined ? undefined : effort !== "none",
  effort,
  budgetTokens: undefined,
  summary: reasoning?.summary ?? reasoning?.generate_summary ?? undefined
})

/** Fields that some upstreams of other dialects have, too. */
const carriedOf = ({ include, service_tier, text, top_logprobs }: AnyRequest) => {
  const most = top_logprobs ?? 0
  const param = most > 0 ? "top_logprobs" : "include"
  return {
    verbosity: isUsual(text?.verbosity, "medium")
      ? undefined
      : { value: text?.verbosity ?? "", param: "text.verbosity" },
    serviceTier: isUsual(service_tier, "auto") ? undefined : (service_tier ?? undefined),
    logprobs: most > 0 || (include ?? []).includes(logprobsIncluded) ? { value: most, param } : undefined
  }
}

/** `input` as items. A text is one user message. */
export const inputItems = (input: CountInputTokens["input"]): ReadonlyArray<InputItem> =>
  typeof input === "string"
    ? [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }]
    : (input ?? [])

const itemsWithin = ({ input }: Pick<AnyRequest, "input">): ReadonlyArray<InputItem> =>
  Array.isArray(input) ? input : []

/** The tools of a request itself, without those of the conversation that it continues. */
export const ownTools = (request: Pick<AnyRequest, "input" | "tools">): ReadonlyArray<ToolEntry> => [
  ...(request.tools ?? []),
  ...itemsWithin(request).flatMap(toolsOf)
]

/** Parameters that would change the answer must not be ignored. */
const unserved = ({ conversation, previous_response_id: previous }: AnyRequest): InvalidRequest | undefined =>
  isGiven(conversation) && isGiven(previous) ? onlyOne : undefined

/** Refuses references to things that only an upstream of this dialect stores. */
const keptElsewhere = (request: AnyRequest): InvalidRequest | undefined => {
  for (const [field, rule] of ofThisDialect) if (isGiven(Reflect.get(request, field))) return refusalOf(field, rule)
  const { conversation } = request
  return isGiven(conversation) && conversationOf(conversation) === undefined
    ? refusalOf("conversation", "expected the id of one that was made here, by POST /v1/conversations")
    : undefined
}

const ofThisDialect = refusedBy(fates)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const refusalOf = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

/** Two histories exclude each other. */
export const onlyOne = refusalOf(
  "previous_response_id",
  "expected none beside conversation, which has what came before"
)

const formatOf = ({ text }: AnyRequest): OutputFormat => {
  const format = text?.format
  switch (format?.type) {
    case "json_schema":
      return {
        type: "json-schema",
        name: format.name,
        description: format.description ?? undefined,
        schema: format.schema,
        strict: format.strict ?? undefined
      }
    case "json_object":
      return { type: "json" }
    default:
      return { type: "text" }
  }
}
