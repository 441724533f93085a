import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { CountInputTokens } from "./CreateResponse.ts"
import { inputItems, onlyOne } from "./decode.ts"
import type { Replay } from "./decode.ts"
import { conversationOf } from "./conversations/conversationOf.ts"
import { newItems, repeatedId } from "./conversations/newItems.ts"
import type { InputItem } from "./InputItem.ts"
import { duplicateItem } from "./store/refusals.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import type { History, ResponseStore } from "./store/ResponseStore.ts"

type Continuing = Pick<CountInputTokens, "previous_response_id" | "input"> & { readonly conversation?: unknown }

/** `take` may take the right to add to a conversation, until it is released; `look` only reads. */
type Mode = "take" | "look"

/** The replay of a request that refers to nothing stored. */
export const ownReplay = ({ input }: Pick<Continuing, "input">): Replay => ({ history: [], input: inputItems(input) })

/**
 * The replay of a request in a conversation of this gateway. Its input must not have the conversation's own items, as at
 * OpenAI.
 */
const inConversation = Effect.fnUntraced(function* (
  store: ResponseStore,
  holder: Holder,
  id: string,
  own: ReadonlyArray<InputItem>,
  mode: Mode
): Effect.fn.Return<Replay, Failure> {
  const { conversations } = store
  const items = Effect.gen(function* () {
    const history = yield* conversations.history(holder, id)
    const input = yield* store.resolve(holder, own)
    const repeated = repeatedId(newItems(input), new Set(history.map((one) => one.id)))
    if (repeated !== undefined) return yield* duplicateItem(repeated)
    return { history: history.map(({ item }) => item), first: id, input }
  })
  if (mode === "look") return { ...(yield* items), conversation: { id } }
  const token = randomHex()
  // A caller that leaves while it is taken would give it back before that.
  const taken = Effect.zipRight(Effect.uninterruptible(conversations.take(holder, id, token)), items)
  return { ...(yield* Effect.onError(taken, () => conversations.release(id, token))), conversation: { id, token } }
})

/**
 * Finds the stored items of a request; undefined for most requests, which need none.
 *
 * @param recalled the conversation that it continues, if that is not stored
 */
export const lookUpReplay = (
  store: ResponseStore,
  holder: Holder,
  { conversation, input, previous_response_id }: Continuing,
  recalled?: History,
  mode: Mode = "look"
): Effect.Effect<Replay, Failure> | undefined => {
  const own = inputItems(input)
  const previous = previous_response_id ?? undefined
  if (conversation !== undefined && conversation !== null) {
    if (previous !== undefined) return Effect.fail(onlyOne)
    const id = conversationOf(conversation)
    if (id !== undefined) return inConversation(store, holder, id, own, mode)
  }
  if (previous === undefined && !own.some((item) => item.type === "item_reference")) return undefined
  const history =
    recalled !== undefined || previous === undefined ? Effect.succeed(recalled) : store.history(holder, previous)
  return Effect.flatMap(history, (history) =>
    Effect.map(store.resolve(holder, own), (input) => ({
      history: history?.items ?? [],
      first: history?.first,
      input
    }))
  )
}

/** The replay of a request with its stored items. */
export const replayFor = (
  store: ResponseStore,
  holder: Holder,
  request: Continuing,
  mode?: Mode
): Effect.Effect<Replay, Failure> =>
  lookUpReplay(store, holder, request, undefined, mode) ?? Effect.succeed(ownReplay(request))
