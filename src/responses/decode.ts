import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation, OutputFormat } from "../generation/Conversation.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { effortOf } from "./effort.ts"
import type { InputItem } from "./InputItem.ts"
import { checkPairs, itemsOf } from "./items.ts"
import { toolbox } from "./tools.ts"
import type { Toolbox } from "./tools.ts"

/** What comes before and instead of a request's own items, as the store knows it. */
export interface Replay {
  /** Input and output of the chain that `previous_response_id` continues, oldest first. */
  readonly history: ReadonlyArray<InputItem>
  /** The request's own input, every `item_reference` replaced by its item. */
  readonly input: ReadonlyArray<InputItem>
}

export interface Decoded {
  readonly conversation: Conversation
  readonly toolbox: Toolbox
}

/** A request in the gateway's words, or the first thing that is wrong with it. */
export const decode = (request: CreateResponse, replay: Replay): Decoded | InvalidRequest => {
  let problem: InvalidRequest | undefined
  const refuse = (param: string, message: string) => {
    problem ??= new InvalidRequest({ param, message })
  }
  const complain = (param: string, rule: string) => refuse(param, `${param}: ${rule}`)
  unserved(request, complain)
  const effort = effortOf(request.model, request.reasoning?.effort ?? undefined)
  if (effort instanceof InvalidRequest) return problem ?? effort
  const tools = toolbox(request, complain)
  const items = [
    // Checked when it was stored.
    ...replay.history.flatMap((item) => itemsOf(item, request.model, "input", complain)),
    ...replay.input.flatMap((item, index) => itemsOf(item, request.model, `input[${index}]`, complain))
  ]
  checkPairs(items, (message) => refuse("input", message))
  if (problem !== undefined) return problem
  return {
    toolbox: tools,
    conversation: {
      model: request.model,
      system: request.instructions ? [request.instructions] : [],
      items,
      tools: tools.tools,
      toolChoice: tools.choice,
      parallelToolCalls: request.parallel_tool_calls ?? true,
      reasoning: {
        enabled: effort === undefined ? undefined : effort !== "none",
        effort,
        budgetTokens: undefined,
        summary: request.reasoning?.summary ?? request.reasoning?.generate_summary ?? undefined
      },
      sampling: {
        temperature: request.temperature ?? undefined,
        topP: request.top_p ?? undefined,
        topK: undefined
      },
      maxOutputTokens: request.max_output_tokens ?? undefined,
      stopSequences: [],
      format: formatOf(request),
      truncation: request.truncation ?? "disabled",
      endUser: request.safety_identifier ?? request.user ?? undefined,
      cacheKey: request.prompt_cache_key ?? undefined
    }
  }
}

/** `input` as items: a text is one user message. */
export const inputItems = (input: CreateResponse["input"]): ReadonlyArray<InputItem> =>
  typeof input === "string"
    ? [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }]
    : input

/** Parameters that would change the answer must not be ignored. */
const unserved = (request: CreateResponse, complain: (param: string, rule: string) => void) => {
  if (request.background) complain("background", "true is not supported; leave it out or send false")
  if (request.conversation !== undefined && request.conversation !== null) {
    complain("conversation", "is not supported; continue a response with previous_response_id")
  }
  if (request.prompt !== undefined && request.prompt !== null) {
    complain("prompt", "is not supported; send instructions and input")
  }
}

const formatOf = ({ text }: CreateResponse): OutputFormat => {
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
