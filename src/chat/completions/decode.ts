import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { makeObjection } from "../../contract/open.ts"
import { lossesOf, refusedBy } from "../../dispatch/requestFates.ts"
import { unknownFields } from "../../dispatch/unsupported.ts"
import type { Unsupported } from "../../dispatch/unsupported.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { demandsOf } from "../../generation/demandsOf.ts"
import { samplingOfServers } from "../beyond.ts"
import { stops } from "../decode.ts"
import { fates } from "./fates.ts"
import { longestOf } from "./prompts.ts"
import type { Prompt } from "./prompts.ts"
import { CreateTextCompletion } from "./Request.ts"

/** A request as the gateway understands it. */
export interface Understood {
  /** That of the longest prompt. */
  readonly conversation: Conversation
  /** The reason that the model can't be asked by chat. */
  readonly objection: () => InvalidRequest | undefined
  readonly mayReachWeb: boolean
  /** The parts that chat does not have. */
  readonly unsupported: () => ReadonlyArray<Unsupported>
}

const unknownOf = makeObjection(CreateTextCompletion)
const known = new Set(Object.keys(fates))
const knownOfServers = new Set([...known, ...samplingOfServers])
const losses = lossesOf(fates)

/** Describes a request with these prompts as a `Conversation` of one of them. */
export const understand = (
  request: CreateTextCompletion,
  body: unknown,
  prompts: ReadonlyArray<Prompt>
): Understood => ({
  conversation: {
    model: request.model,
    system: [],
    // An upstream reads the suffix too. Where the model is asked by chat, it is refused.
    items: itemsOf(longestOf(prompts) + (request.suffix ?? "")),
    tools: [],
    toolChoice: { type: "auto" },
    parallelToolCalls: true,
    reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
    sampling: { temperature: request.temperature ?? undefined, topP: request.top_p ?? undefined, topK: undefined },
    maxOutputTokens: request.max_tokens ?? undefined,
    outputParam: "max_tokens",
    stopSequences: stops(request),
    stopParam: "stop",
    format: { type: "text" },
    inputParam: "prompt",
    truncation: "disabled",
    endUser: request.user ?? undefined,
    cacheKey: undefined,
    cachesByItself: true,
    demands: () => demandsOf(body)
  },
  objection: () => unknownOf(request, body) ?? refusalOf(request, prompts),
  // Servers of this dialect have many fields for it.
  mayReachWeb: unknownFields(body, knownOfServers).length > 0,
  unsupported: () => [
    ...unknownFields(body, known),
    ...refusedIn(request).map(([param]) => ({ param })),
    ...losses.flatMap(({ field, isAsked, unsupported }) =>
      request[field] !== undefined && isAsked(request, body) ? [unsupported] : []
    )
  ]
})

/** A prompt as a user's message. */
export const itemsOf = (text: string): Conversation["items"] => [
  { type: "message", role: "user", content: [{ type: "text", text }] }
]

/** The most answers to one request that the gateway makes itself. LangChain sends twenty prompts at a time. */
const mostAnswers = 32

const refusalOf = (request: CreateTextCompletion, prompts: ReadonlyArray<Prompt>): InvalidRequest | undefined => {
  const [refused] = refusedIn(request)
  if (refused !== undefined) return objected(...refused)
  if (prompts.some(({ isTokens }) => isTokens)) {
    return objected("prompt", "this model is asked by chat, which takes texts alone; send a text in place of tokens")
  }
  if (prompts.some(({ text }) => text === "")) return objected("prompt", "expected a text that is not empty")
  const answers = prompts.length * (request.n ?? 1)
  if (answers > mostAnswers) {
    return objected("prompt", `at most ${mostAnswers} answers are made here, to all prompts together; got ${answers}`)
  }
  return undefined
}

const objected = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

/** The fields that are asked for and that chat does not have. */
const refusedIn = (request: CreateTextCompletion) => refusals.filter(([field]) => isAsked(request, field))

const refusals = refusedBy(fates)

const isAsked = ({ best_of, echo, logprobs, n, suffix }: CreateTextCompletion, field: string): boolean => {
  switch (field) {
    case "best_of":
      // As many as are told are no choice: LangChain sends that.
      return (best_of ?? 1) > (n ?? 1)
    case "echo":
      return echo === true
    case "suffix":
      return (suffix ?? "") !== ""
    default:
      return (logprobs ?? undefined) !== undefined
  }
}
