import { Effect } from "effect"
import type { Runtime } from "effect"
import type { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { textsOf, withTexts } from "./conversationTexts.ts"
import { GuardedGeneration } from "./GuardedGeneration.ts"
import { look, looksAt, refusedBy } from "./Guards.ts"
import type { Guard, GuardedRequest } from "./Guards.ts"
import { restorer } from "./restorer.ts"

/** A request after its guardrails looked at it. */
export interface Guarded {
  /** As many as were given. */
  readonly conversations: ReadonlyArray<Conversation>
  /** Has them look at an answer, which gets the words of the request back. */
  readonly wrap: (generation: Generation) => Generation
}

interface Options {
  /** False if the request passes through as it is, so that no text can be replaced. */
  readonly isReplaceable: boolean
  readonly stream: boolean
  /** The refusal of inputs that can't be looked at; undefined if there are none. */
  readonly unread: InvalidRequest | undefined
}

/** Has guardrails look at a request: at its conversation, or at that of each of its inputs. */
export const guardRequest = (
  runtime: Runtime.Runtime<never>,
  request: GuardedRequest,
  conversations: ReadonlyArray<Conversation>,
  { isReplaceable, stream, unread }: Options
): Effect.Effect<Guarded, InvalidRequest | Unavailable> => {
  const looksIn = request.guards.some((guard) => looksAt(guard, "input"))
  const looksOut = isReplaceable && request.guards.some((guard) => looksAt(guard, "output"))
  if (!looksIn) return Effect.succeed(guarded(conversations, {}))
  if (unread !== undefined && request.guards.some((guard) => looksAt(guard, "input") && isEnforced(guard)))
    return Effect.fail(unread)
  const each = conversations.map(textsOf)
  const given = each.flat()
  return Effect.flatMap(look(request, "input", given), ({ placeholders, texts }) => {
    if (texts.every((text, index) => text === given[index]?.text)) return Effect.succeed(guarded(conversations, {}))
    let next = 0
    const replaced = conversations.map((one, index) =>
      withTexts(one, texts.slice(next, (next += each[index]?.length ?? 0)))
    )
    return isReplaceable
      ? Effect.succeed(guarded(replaced, placeholders))
      : Effect.fail(
          refusedBy("A guardrail replaces texts of the request, which this kind of model gets only as they are")
        )
  })

  function guarded(now: Guarded["conversations"], placeholders: Readonly<Record<string, string>>): Guarded {
    const restore = restorer(placeholders)
    if (!looksOut && restore === undefined) return { conversations: now, wrap: (generation) => generation }
    return {
      conversations: now,
      wrap: (generation) => new GuardedGeneration(generation, { runtime, request, restore, looksOut, stream })
    }
  }
}

const isEnforced = ({ entry }: Guard): boolean => entry?.mode !== "observe"
