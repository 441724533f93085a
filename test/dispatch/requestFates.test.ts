import { describe, expect, it } from "@effect/vitest"
import { understand as understandChat } from "../../src/chat/decode.ts"
import { understand as understandCompletion } from "../../src/chat/completions/decode.ts"
import { fates as completionFates } from "../../src/chat/completions/fates.ts"
import { promptsOf } from "../../src/chat/completions/prompts.ts"
import type { CreateTextCompletion } from "../../src/chat/completions/Request.ts"
import { fates as chatFates } from "../../src/chat/fates.ts"
import type { CreateCompletion } from "../../src/chat/Request.ts"
import { unsupportedParts as lostOfChat } from "../../src/chat/unsupportedParts.ts"
import type { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import { lossesOf, refusedBy } from "../../src/dispatch/requestFates.ts"
import type { RequestFates } from "../../src/dispatch/requestFates.ts"
import type { Unsupported } from "../../src/dispatch/unsupported.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { understand as understandMessage } from "../../src/messages/decode.ts"
import { fates as messageFates } from "../../src/messages/fates.ts"
import type { CreateMessage } from "../../src/messages/Request.ts"
import type { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { inputItems, understand as understandResponse } from "../../src/responses/decode.ts"
import { fates as responseFates } from "../../src/responses/fates.ts"
import { newConversationId } from "../../src/responses/ids.ts"
import { unsupportedParts as lostOfResponse } from "../../src/responses/unsupportedParts.ts"

/** A field's value that matters, among what else the request needs for it. */
type Samples<Request> = {
  readonly [Field in keyof Request]-?: readonly [given: Partial<Request>, around?: Partial<Request>]
}

interface Seen {
  readonly conversation: Conversation
  readonly lost: ReadonlyArray<Unsupported>
  readonly objection: InvalidRequest | undefined
}

const parameters = { type: "object" }
const weather = { type: "function", name: "get_weather", parameters } as const
const chatWeather = { type: "function", function: { name: "get_weather", parameters } } as const
const claudesWeather = { name: "get_weather", input_schema: parameters } as const

const chat: Samples<CreateCompletion> = {
  model: [{ model: "other" }],
  messages: [{ messages: [{ role: "user", content: "Bye" }] }],
  tools: [{ tools: [chatWeather] }],
  tool_choice: [{ tools: [chatWeather], tool_choice: "required" }, { tools: [chatWeather] }],
  parallel_tool_calls: [{ tools: [chatWeather], parallel_tool_calls: false }, { tools: [chatWeather] }],
  functions: [{ functions: [{ name: "get_weather", parameters }] }],
  function_call: [
    { functions: [{ name: "get_weather", parameters }], function_call: "none" },
    { functions: [{ name: "get_weather", parameters }] }
  ],
  response_format: [{ response_format: { type: "json_object" } }],
  reasoning_effort: [{ reasoning_effort: "high" }],
  verbosity: [{ verbosity: "low" }],
  max_completion_tokens: [{ max_completion_tokens: 10 }],
  max_tokens: [{ max_tokens: 10 }],
  n: [{ n: 2 }],
  stop: [{ stop: "END" }],
  stream: [{ stream: true }],
  stream_options: [{ stream_options: { include_usage: true } }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  frequency_penalty: [{ frequency_penalty: 1 }],
  presence_penalty: [{ presence_penalty: 1 }],
  seed: [{ seed: 1 }],
  logit_bias: [{ logit_bias: { "1": 1 } }],
  logprobs: [{ logprobs: true }],
  top_logprobs: [{ top_logprobs: 2 }],
  prediction: [{ prediction: { type: "content", content: "x" } }],
  modalities: [{ modalities: ["text", "audio"] }],
  audio: [{ audio: { voice: "alloy" } }],
  web_search_options: [{ web_search_options: {} }],
  store: [{ store: true }],
  metadata: [{ metadata: { a: "b" } }],
  service_tier: [{ service_tier: "flex" }],
  prompt_cache_key: [{ prompt_cache_key: "k" }],
  prompt_cache_options: [{ prompt_cache_options: { a: 1 } }],
  moderation: [{ moderation: { a: 1 } }],
  prompt_cache_retention: [{ prompt_cache_retention: "24h" }],
  safety_identifier: [{ safety_identifier: "u" }],
  user: [{ safety_identifier: "u", user: "v" }, { safety_identifier: "u" }]
}

const completion: Samples<CreateTextCompletion> = {
  model: [{ model: "other" }],
  prompt: [{ prompt: "Bye" }],
  max_tokens: [{ max_tokens: 10 }],
  n: [{ n: 2 }],
  best_of: [{ best_of: 2 }],
  echo: [{ echo: true }],
  logprobs: [{ logprobs: 0 }],
  suffix: [{ suffix: "." }],
  stop: [{ stop: "END" }],
  stream: [{ stream: true }],
  stream_options: [{ stream_options: { include_usage: true } }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  frequency_penalty: [{ frequency_penalty: 1 }],
  presence_penalty: [{ presence_penalty: 1 }],
  seed: [{ seed: 1 }],
  logit_bias: [{ logit_bias: { "1": 1 } }],
  user: [{ user: "u" }]
}

const message: Samples<CreateMessage> = {
  model: [{ model: "other" }],
  messages: [{ messages: "Bye" }],
  system: [{ system: "Be brief." }],
  tools: [{ tools: [claudesWeather] }],
  tool_choice: [{ tools: [claudesWeather], tool_choice: { type: "any" } }, { tools: [claudesWeather] }],
  thinking: [{ thinking: { type: "adaptive", display: "updates" } }],
  output_config: [{ output_config: { effort: "low" } }],
  output_format: [{ output_format: { type: "json_schema", schema: {} } }],
  cache_control: [{ cache_control: { type: "ephemeral" } }],
  max_tokens: [{ max_tokens: 11 }],
  stream: [{ stream: true }],
  async: [{ async: true }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  top_k: [{ top_k: 5 }],
  stop_sequences: [{ stop_sequences: ["END"] }],
  thread: [{ thread: { type: "create" } }],
  metadata: [{ metadata: { user_id: "u" } }]
}

const response: Samples<CreateResponse> = {
  model: [{ model: "other" }],
  instructions: [{ instructions: "Be brief." }],
  previous_response_id: [{ previous_response_id: "resp_1" }],
  tools: [{ tools: [weather] }],
  tool_choice: [{ tools: [weather], tool_choice: "required" }, { tools: [weather] }],
  parallel_tool_calls: [{ parallel_tool_calls: false }],
  reasoning: [{ reasoning: { effort: "high" } }],
  text: [{ text: { verbosity: "low" } }],
  truncation: [{ truncation: "auto" }],
  conversation: [{ conversation: newConversationId() }],
  input: [{ input: "Bye" }],
  max_output_tokens: [{ max_output_tokens: 10 }],
  max_tool_calls: [{ max_tool_calls: 2 }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  stream: [{ stream: true }],
  store: [{ store: false }],
  include: [{ include: ["message.output_text.logprobs"] }],
  metadata: [{ metadata: { a: "b" } }],
  service_tier: [{ service_tier: "flex" }],
  prompt_cache_key: [{ prompt_cache_key: "k" }],
  prompt_cache_retention: [{ prompt_cache_retention: "24h" }],
  safety_identifier: [{ safety_identifier: "u" }],
  user: [{ safety_identifier: "u", user: "v" }, { safety_identifier: "u" }],
  top_logprobs: [{ top_logprobs: 2 }],
  background: [{ background: true }],
  prompt: [{ prompt: { id: "pmpt_1" } }]
}

const seenOfChat = (over: Partial<CreateCompletion>): Seen => {
  const request: CreateCompletion = { model: "m", messages: [{ role: "user", content: "Hi" }], ...over }
  const { conversation, objection } = understandChat(request, request)
  return { conversation, lost: lostOfChat(request, request), objection: objection() }
}
const seenOfCompletion = (over: Partial<CreateTextCompletion>): Seen => {
  const request: CreateTextCompletion = { model: "m", prompt: "Hi", ...over }
  const prompts = promptsOf(request)
  if (!Array.isArray(prompts)) throw prompts
  const { conversation, objection, unsupported } = understandCompletion(request, request, prompts)
  return { conversation, lost: unsupported(), objection: objection() }
}
const seenOfMessage = (over: Partial<CreateMessage>): Seen => {
  const request: CreateMessage = { model: "m", max_tokens: 10, messages: "Hi", ...over }
  const { conversation, objection, unsupported } = understandMessage(request, request)
  return { conversation, lost: unsupported(), objection: objection() }
}
const seenOfResponse = (over: Partial<CreateResponse>): Seen => {
  const request: CreateResponse = { model: "m", input: "Hi", ...over }
  const understood = understandResponse(request, request, { history: [], input: inputItems(over.input ?? "Hi") })
  if (!("conversation" in understood)) throw understood
  return { ...understood, lost: lostOfResponse(request, request), objection: understood.objection() }
}

/** What a conversation has of each field, as text. */
const partsOf = ({ cacheMark, reasoning, sampling, systemMarks, ...conversation }: Conversation) =>
  new Map(
    Object.entries({ ...conversation, ...reasoning, ...sampling, cacheMarks: [cacheMark, ...(systemMarks ?? [])] })
      .filter(([name]) => !/^(?:model|demands|\w+Param|cachesByItself|unknownBytes|providersRefusal)$/.test(name))
      .map(([name, value]) => [name, JSON.stringify(value)])
  )

const describeFamily = <Request extends object>(
  name: string,
  fates: RequestFates<Request, never>,
  samples: Samples<Request>,
  seen: (over: Partial<Request>) => Seen
) =>
  describe(name, () => {
    const refused = new Map(refusedBy(fates))
    it.each(Object.entries<readonly [Partial<Request>, Partial<Request>?]>(samples))(
      "a field is worth what its fate says: %s",
      (field, [given, around = {}]) => {
        const [before, after] = [seen(around), seen(given)]
        const fate = Object.entries<RequestFates<Request, never>[keyof Request]>(fates).find(
          ([key]) => key === field
        )?.[1]
        const old = partsOf(before.conversation)
        const changed = [...partsOf(after.conversation)].flatMap(([part, text]) =>
          old.get(part) === text ? [] : [part]
        )
        const named = after.lost.map(({ param }) => param)
        const losses = typeof fate === "object" && "loses" in fate ? Object.keys(fate.loses ?? {}) : []
        expect(named).toEqual(refused.has(field) ? [field] : losses)
        expect(after.objection?.param).toEqual(refused.has(field) ? field : undefined)
        if (typeof fate === "object" && "becomes" in fate) {
          expect(fate.becomes).toEqual(expect.arrayContaining(changed))
          expect(changed.length + named.length).toBeGreaterThan(0)
          // A refused field may count in the hold, where the request passes through.
        } else if (!refused.has(field)) expect(changed).toEqual([])
      }
    )

    it("has no two losses of one name", () => {
      const params = lossesOf(fates).map(({ unsupported }) => unsupported.param)
      expect(params).toEqual([...new Set(params)])
    })
  })

describeFamily("chat completions", chatFates, chat, seenOfChat)
describeFamily("text completions", completionFates, completion, seenOfCompletion)
describeFamily("messages", messageFates, message, seenOfMessage)
describeFamily("responses", responseFates, response, seenOfResponse)
