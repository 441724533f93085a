import { listAt } from "../contract/json/json.ts"
import { Unknown } from "../contract/Unknown.ts"
import { lossesOf } from "../dispatch/requestFates.ts"
import { hasBreakpoints, noToolLeft, unknownFields } from "../dispatch/unsupported.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import { fates } from "./fates.ts"
import type { InputMessage } from "./InputMessage.ts"
import { isForeign } from "./reasoning.ts"
import type { CreateCompletion } from "./Request.ts"
import { isServer } from "./serversOf.ts"
import { isHosted } from "./Tools.ts"

/**
 * The parts of a request that its conversation cannot express.
 *
 * @param runsServers true if the gateway runs the tools of the request's servers
 */
export const unsupportedParts = (
  request: CreateCompletion,
  body: unknown,
  runsServers = false
): ReadonlyArray<Unsupported> => {
  const found = unknownFields(body, known)
  for (const { field, isAsked, unsupported } of losses) {
    if (request[field] !== undefined && isAsked(request, body)) found.push(unsupported)
  }
  for (const [index, tool] of (request.tools ?? []).entries()) {
    // Unknown tools were refused before (`decode.ts`).
    if (tool instanceof Unknown || (runsServers && isServer(tool))) continue
    if (isHosted(tool)) found.push({ param: `tools.${tool.type}` })
    found.push(...unknownFields(listAt(body, "tools")[index], knownOfTools, "tools[]."))
  }
  const dropped = (request.tools ?? []).filter(
    (tool) => !(tool instanceof Unknown) && isHosted(tool) && !(runsServers && isServer(tool))
  )
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

const losses = lossesOf(fates)
const known = new Set(Object.keys(fates))
const knownOfTools = new Set(["type", "function", "custom", "cache_control"])
