import { Effect } from "effect"
import type { Runtime } from "effect"
import type { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { GuardedText } from "./askHook.ts"
import { callWithTexts, textsOf, textsOfCall, withTexts } from "./conversationTexts.ts"
import type { ToolCallAndResult } from "./conversationTexts.ts"
import { GuardedGeneration } from "./GuardedGeneration.ts"
import { isEnforced, look, looksAt } from "./Guards.ts"
import type { GuardedRequest } from "./Guards.ts"

/** A call and its result with replaced words. Fails if a guardrail blocks them. */
export type LookAtCall = (call: ToolCallAndResult) => Effect.Effect<ToolCallAndResult, InvalidRequest | Unavailable>

/** A request after its guardrails looked at it. */
export interface Guarded {
  /** As many as were given. */
  readonly conversations: ReadonlyArray<Conversation>
  /** Has them look at an answer, which gets the words of the request back. */
  readonly wrap: (generation: Generation) => Generation
  /** Has them look at a tool's call by the gateway, before the model gets its result. Absent if none looks at requests. */
  readonly lookAtCall?: LookAtCall
}

interface Options {
  readonly stream: boolean
  /** True if the gateway may call tools for it. */
  readonly hasServers: boolean
  /** The refusal of inputs that can't be looked at; undefined if there are none. */
  readonly unread: InvalidRequest | undefined
}

/** Has guardrails look at a request: at its conversation, or at that of each of its inputs. */
export const guardRequest = (
  runtime: Runtime.Runtime<never>,
  request: GuardedRequest,
  conversations: ReadonlyArray<Conversation>,
  { hasServers, stream, unread }: Options
): Effect.Effect<Guarded, InvalidRequest | Unavailable> => {
  const { guards, isReplaceable, words } = request
  const looking = guards.filter((guard) => looksAt(guard, "input"))
  const looksOut = isReplaceable && guards.some((guard) => looksAt(guard, "output"))
  if (looking.length === 0) return Effect.succeed(guarded(conversations))
  if (unread !== undefined && looking.some(isEnforced)) return Effect.fail(unread)
  const each = conversations.map(textsOf)
  const given = each.flat()
  const { expand, once } = withoutRepeats(given)
  return Effect.map(look(request, "input", once), (seen) => {
    const texts = expand(seen)
    if (texts.every((text, index) => text === given[index]?.text)) return guarded(conversations)
    let next = 0
    return guarded(
      conversations.map((one, index) => withTexts(one, texts.slice(next, (next += each[index]?.length ?? 0))))
    )
  })

  function guarded(now: Guarded["conversations"]): Guarded {
    // Results of tools may have placeholders too.
    const mayRestore = words.restorer !== undefined || (hasServers && looking.length > 0)
    return {
      conversations: now,
      wrap:
        looksOut || mayRestore
          ? (generation) => new GuardedGeneration(generation, { runtime, request, looksOut, stream })
          : (generation) => generation,
      ...(looking.length > 0 && {
        lookAtCall: (call) =>
          Effect.map(words.inTurn(look(request, "input", textsOfCall(call))), (texts) => callWithTexts(call, texts))
      })
    }
  }
}

/** A query to rerank by stands beside each of thousands of documents. */
const withoutRepeats = (given: ReadonlyArray<GuardedText>) => {
  const once: Array<GuardedText> = []
  const known = new Map<string, Map<string, number>>()
  const places = given.map((one) => {
    const texts = known.get(one.at) ?? new Map<string, number>()
    known.set(one.at, texts)
    const place = texts.get(one.text) ?? once.push(one) - 1
    texts.set(one.text, place)
    return place
  })
  return { once, expand: (seen: ReadonlyArray<string>) => places.map((place) => seen[place] ?? "") }
}
