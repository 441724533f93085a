import { InvalidRequest } from "../contract/failures/Failure.ts"
import { makeObjection } from "../contract/open.ts"
import type { Conversation, Item, OutputFormat, Reasoning } from "../generation/Conversation.ts"
import { demandsOf } from "../generation/demandsOf.ts"
import { effortOf } from "../generation/effort.ts"
import { isUsual } from "../contract/isUsual.ts"
import { holdsDocuments, mayReachWeb, unknownBytes } from "./beyond.ts"
import { itemsOf } from "./messages.ts"
import type { KeptSeals } from "./reasoning.ts"
import { CreateCompletion } from "./Request.ts"
import type { AskedServers } from "../pipeline/TextFamily.ts"
import { serversOf } from "./serversOf.ts"
import { toolbox } from "./toolbox.ts"
import type { Toolbox } from "./toolbox.ts"

/** A request as the gateway understands it. */
export interface Understood {
  readonly conversation: Conversation
  /**
   * The first thing that the gateway does not understand or allow. Only an upstream of this dialect can then serve the
   * request.
   */
  readonly objection: () => InvalidRequest | undefined
  readonly mayReachWeb: boolean
  /** The MCP servers that the request names; absent if it names none. */
  readonly servers?: AskedServers
}

const nothingKept: KeptSeals = new Map()

const unknownOf = makeObjection(CreateCompletion)

/**
 * Describes a request as a `Conversation`, and lists what that cannot express. Expensive parts are computed on first
 * use, because passthrough rarely needs them.
 */
export const understand = (request: CreateCompletion, body: unknown, kept: KeptSeals = nothingKept): Understood => {
  const wanted = effortOf(request.model, request.reasoning_effort ?? undefined, "reasoning_effort")
  let known: Translated | undefined
  const translation = () => (known ??= translate(request, kept))
  const servers = serversOf(request, body)
  return {
    ...(servers && { servers }),
    conversation: {
      model: request.model,
      system: [],
      get items() {
        return translation().items
      },
      get tools() {
        return translation().toolbox.tools
      },
      get toolChoice() {
        return translation().toolbox.choice
      },
      get parallelToolCalls() {
        return translation().toolbox.isParallel
      },
      reasoning: reasoningOf(request, wanted instanceof InvalidRequest ? undefined : wanted),
      sampling: {
        temperature: request.temperature ?? undefined,
        topP: request.top_p ?? undefined,
        topK: undefined
      },
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      outputParam: (request.max_completion_tokens ?? null) === null ? "max_tokens" : "max_completion_tokens",
      stopSequences: stops(request),
      stopParam: "stop",
      format: formatOf(request),
      formatParam: "response_format",
      inputParam: "messages",
      truncation: "disabled",
      endUser: request.safety_identifier ?? request.user ?? undefined,
      cacheKey: request.prompt_cache_key ?? undefined,
      cacheRetention: request.prompt_cache_retention || undefined,
      ...carriedOf(request),
      demands: () => demandsOf(body),
      holdsDocuments: () => holdsDocuments(request),
      cachesByItself: true,
      get unknownBytes() {
        return unknownBytes(request)
      }
    },
    objection: () => unknownOf(request, body) ?? (wanted instanceof InvalidRequest ? wanted : translation().problem),
    mayReachWeb: mayReachWeb(request, body)
  }
}

interface Translated {
  readonly items: ReadonlyArray<Item>
  readonly toolbox: Toolbox
  readonly problem: InvalidRequest | undefined
}

const translate = (request: CreateCompletion, kept: KeptSeals): Translated => {
  let problem: InvalidRequest | undefined
  const complain = (param: string, rule: string) => {
    problem ??= new InvalidRequest({ param, message: `${param}: ${rule}` })
  }
  if ((request.n ?? 1) > mostAnswers) complain("n", `at most ${mostAnswers} answers are made here; got ${request.n}`)
  const tools = toolbox(request, complain)
  const items = itemsOf(request.messages, { model: request.model, kept, complain })
  return { items, toolbox: tools, problem }
}

const reasoningOf = ({ reasoning_effort }: CreateCompletion, effort: Reasoning["effort"]): Reasoning => ({
  enabled: effort === undefined ? undefined : effort !== "none",
  effort,
  budgetTokens: undefined,
  summary: (reasoning_effort ?? "none") === "none" ? undefined : "auto"
})

/** Fields that some upstreams of other dialects have, too. */
const carriedOf = (request: CreateCompletion) => {
  const { logprobs, modalities, seed, service_tier, top_logprobs, verbosity } = request
  const { frequency_penalty: frequency, presence_penalty: presence } = request
  return {
    verbosity: isUsual(verbosity, "medium") ? undefined : { value: verbosity ?? "", param: "verbosity" },
    serviceTier: isUsual(service_tier, "auto") ? undefined : (service_tier ?? undefined),
    logprobs:
      logprobs === true || (top_logprobs ?? 0) > 0
        ? { value: top_logprobs ?? 0, param: logprobs === true ? "logprobs" : "top_logprobs" }
        : undefined,
    seed: seed ?? undefined,
    penalties: frequency || presence ? { ...(frequency && { frequency }), ...(presence && { presence }) } : undefined,
    modalities: modalities?.some((kind) => kind !== "text") === true ? modalities : undefined
  }
}

/** The most answers to one request that the gateway makes itself. */
const mostAnswers = 16

export const stops = ({ stop }: Pick<CreateCompletion, "stop">): ReadonlyArray<string> =>
  (typeof stop === "string" ? [stop] : (stop ?? [])).filter((text) => text !== "")

const formatOf = ({ response_format: format }: CreateCompletion): OutputFormat => {
  switch (format?.type) {
    case "json_schema": {
      const { description, name, schema, strict } = format.json_schema
      return {
        type: "json-schema",
        name,
        description: description ?? undefined,
        schema: schema ?? { type: "object" },
        strict: strict ?? undefined
      }
    }
    case "json_object":
      return { type: "json" }
    default:
      return { type: "text" }
  }
}
