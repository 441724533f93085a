import { Effect } from "effect"
import type { Runtime } from "effect"
import type { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { textsOf, withTexts } from "./conversationTexts.ts"
import { GuardedGeneration } from "./GuardedGeneration.ts"
import { look, looksAt, refusedBy } from "./Guards.ts"
import type { GuardedRequest } from "./Guards.ts"
import { restorer } from "./restorer.ts"

/** A request after its guardrails looked at it. */
export interface Guarded {
  readonly conversation: Conversation
  /** Has them look at an answer, which gets the words of the request back. */
  readonly wrap: (generation: Generation) => Generation
}

/**
 * Has guardrails look at a request.
 *
 * @param options `isReplaceable`: false if the request passes through as it is, so that no text can be replaced
 */
export const guardRequest = (
  runtime: Runtime.Runtime<never>,
  request: GuardedRequest,
  conversation: Conversation,
  { isReplaceable, stream }: { readonly isReplaceable: boolean; readonly stream: boolean }
): Effect.Effect<Guarded, InvalidRequest | Unavailable> => {
  const looksIn = request.guards.some((guard) => looksAt(guard, "input"))
  const looksOut = isReplaceable && request.guards.some((guard) => looksAt(guard, "output"))
  if (!looksIn) return Effect.succeed(guarded(conversation, {}))
  const given = textsOf(conversation)
  return Effect.flatMap(look(request, "input", given), ({ placeholders, texts }) => {
    if (texts.every((text, index) => text === given[index]?.text)) return Effect.succeed(guarded(conversation, {}))
    return isReplaceable
      ? Effect.succeed(guarded(withTexts(conversation, texts), placeholders))
      : Effect.fail(
          refusedBy("A guardrail replaces texts of the request, which this kind of model gets only as they are")
        )
  })

  function guarded(now: Conversation, placeholders: Readonly<Record<string, string>>): Guarded {
    const restore = restorer(placeholders)
    if (!looksOut && restore === undefined) return { conversation: now, wrap: (generation) => generation }
    return {
      conversation: now,
      wrap: (generation) => new GuardedGeneration(generation, { runtime, request, restore, looksOut, stream })
    }
  }
}
