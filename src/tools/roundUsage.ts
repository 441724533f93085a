import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Doubt, Usage } from "../generation/GenerationEvent.ts"
import { doubtOf } from "../generation/plausible.ts"
import type { UsageBounds } from "../generation/plausible.ts"
import { countTokens } from "../tokens/tokens.ts"
import type { Round } from "./Round.ts"

/** A round's usage, and the reason that the gateway counted it. */
interface RoundUsage {
  /** Undefined to leave the counting to the caller. */
  readonly usage: Usage | undefined
  readonly counted: Doubt | "untold" | undefined
}

/** A round's usage: the upstream's if it is plausible, otherwise counted here. */
export const roundUsage = (
  conversation: Conversation,
  round: Pick<Round, "countOutput" | "usage">,
  isOnlyRound: boolean
): RoundUsage => {
  const doubt = round.usage && doubtOf(round.usage, boundsOf(conversation))
  if (round.usage !== undefined && (doubt === undefined || isOnlyRound))
    return { usage: round.usage, counted: undefined }
  if (isOnlyRound) return { usage: undefined, counted: undefined }
  const usage: Usage = { ...noUsage, inputTokens: countTokens(conversation), outputTokens: round.countOutput() }
  return { usage, counted: doubt ?? "untold" }
}

const boundsOf = (conversation: Conversation): UsageBounds => ({
  conversation,
  contextTokens: undefined,
  inputTokens: () => countTokens(conversation),
  hasMore: () => false
})
