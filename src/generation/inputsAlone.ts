import type { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation, Part } from "./Conversation.ts"

/** A request that is no conversation, as admission and prices need it. */
export interface InputsAlone extends Partial<
  Pick<Conversation, "demands" | "endUser" | "maxOutputTokens" | "unknownBytes">
> {
  readonly model: string
  readonly inputs: ReadonlyArray<Part>
  /** The refusal of inputs that guardrails can't look at; absent if there are none. */
  readonly unread?: InvalidRequest | undefined
}

/** The inputs as a conversation without an answer. */
export const conversationOf = ({
  demands,
  endUser,
  inputs,
  maxOutputTokens = 0,
  model,
  unknownBytes
}: InputsAlone): Conversation => ({
  model,
  system: [],
  items: [{ type: "message", role: "user", content: inputs }],
  tools: [],
  toolChoice: { type: "auto" },
  parallelToolCalls: true,
  reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
  sampling: { temperature: undefined, topP: undefined, topK: undefined },
  maxOutputTokens,
  stopSequences: [],
  format: { type: "text" },
  truncation: "disabled",
  endUser,
  cacheKey: undefined,
  ...(demands !== undefined && { demands }),
  ...(unknownBytes !== undefined && { unknownBytes })
})
