import { listAt } from "../contract/json.ts"
import { isUsual } from "../contract/isUsual.ts"
import { Unknown } from "../contract/Unknown.ts"
import { hasBreakpoints, noToolLeft, unknownFields } from "../dispatch/unsupported.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import type { CarriedField } from "../generation/Conversation.ts"
import type { InputMessage } from "./InputMessage.ts"
import { isForeign } from "./reasoning.ts"
import { CreateCompletion } from "./Request.ts"
import { isHosted } from "./Tools.ts"

/** The parts of a request that its conversation cannot express. */
export const unsupported = (request: CreateCompletion, body: unknown): ReadonlyArray<Unsupported> => {
  const found = unknownFields(body, known)
  for (const [param, isAsked] of Object.entries(asks)) {
    const carriedAs = carried.get(param)
    if (isAsked(request)) found.push({ param, ...(carriedAs !== undefined && { carriedAs }) })
  }
  for (const [index, tool] of (request.tools ?? []).entries()) {
    // Unknown tools were refused before (`decode.ts`).
    if (tool instanceof Unknown) continue
    if (isHosted(tool)) found.push({ param: `tools.${tool.type}` })
    found.push(...unknownFields(listAt(body, "tools")[index], knownOfTools, "tools[]."))
  }
  const dropped = (request.tools ?? []).filter((tool) => !(tool instanceof Unknown) && isHosted(tool))
  const hasOthers = dropped.length < (request.tools ?? []).length || (request.functions ?? []).length > 0
  const isSearching = (request.web_search_options ?? null) !== null
  if (dropped.length > 0 && !hasOthers && !isSearching && request.tool_choice !== "none") {
    found.push(noToolLeft(dropped.map(({ type }) => type)))
  }
  if (hasBreakpoints(listAt(body, "messages"))) found.push({ param: "prompt_cache_breakpoint" })
  for (const [index, message] of request.messages.entries()) {
    if (message.audio !== undefined && message.audio !== null) found.push({ param: "messages[].audio" })
    // Another model's seals mean nothing to this one.
    if (message.reasoning_details?.some(isForeign(request.model)) === true) found.push({ param: "reasoning" })
    if (namesItsSpeaker(message)) found.push({ param: "messages[].name" })
    if (typeof message.content === "string") continue
    for (const [place, part] of (message.content ?? []).entries()) {
      if (part instanceof Unknown) continue
      if (part.type === "input_audio") found.push(noAudio(`messages[${index}].content[${place}]`))
    }
  }
  return found
}

/** True if `name` distinguishes several users or agents. A tool's message has its call's id instead. */
const namesItsSpeaker = ({ name, role }: InputMessage) => (name ?? "") !== "" && role !== "function" && role !== "tool"

/** Audio cannot be dropped: without it, the question is a different one. */
const noAudio = (param: string): Unsupported => ({
  param,
  carriedAs: "audio",
  refusal: `${param}: this model's upstream does not accept input_audio`
})

/** Fields that a conversation cannot express, with the values that matter. */
const asks: Readonly<Record<string, (request: CreateCompletion) => boolean>> = {
  verbosity: ({ verbosity }) => !isUsual(verbosity, "medium"),
  frequency_penalty: ({ frequency_penalty }) => (frequency_penalty ?? 0) !== 0,
  presence_penalty: ({ presence_penalty }) => (presence_penalty ?? 0) !== 0,
  seed: ({ seed }) => (seed ?? undefined) !== undefined,
  logit_bias: ({ logit_bias }) => Object.keys(logit_bias ?? {}).length > 0,
  logprobs: ({ logprobs }) => logprobs === true,
  top_logprobs: ({ top_logprobs }) => (top_logprobs ?? 0) > 0,
  prediction: ({ prediction }) => (prediction ?? undefined) !== undefined,
  modalities: ({ modalities }) => (modalities ?? []).some((kind) => kind !== "text"),
  audio: ({ audio }) => (audio ?? undefined) !== undefined,
  store: ({ store }) => store === true,
  service_tier: ({ service_tier }) => !isUsual(service_tier, "auto", "default"),
  moderation: ({ moderation }) => (moderation ?? undefined) !== undefined,
  prompt_cache_options: ({ prompt_cache_options }) => (prompt_cache_options ?? undefined) !== undefined,
  // Other dialects have one field for the end user.
  user: ({ safety_identifier, user }) => Boolean(safety_identifier) && Boolean(user) && safety_identifier !== user
}

const carried: ReadonlyMap<string, CarriedField> = new Map<string, CarriedField>([
  ["verbosity", "verbosity"],
  ["service_tier", "serviceTier"],
  ["logprobs", "logprobs"],
  ["top_logprobs", "logprobs"]
])

const known = new Set(Object.keys(CreateCompletion.fields))
const knownOfTools = new Set(["type", "function", "custom"])
