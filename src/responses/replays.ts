import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { InlineFiles } from "../storedFiles/InlineFiles.ts"
import type { CountInputTokens } from "./CreateResponse.ts"
import { inputItems, onlyOne } from "./decode.ts"
import type { Replay } from "./decode.ts"
import { conversationOf } from "./conversations/conversationOf.ts"
import { newItems, repeatedId } from "./conversations/newItems.ts"
import type { InputItem } from "./InputItem.ts"
import { duplicateItem } from "./store/refusals.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { ResponseStore } from "./store/ResponseStore.ts"
import type { History } from "./store/ResponseStore.ts"

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

interface Asking<Payload> {
  readonly caller: Holder
  readonly payload: Payload
  readonly request: Pick<Incoming, "record">
}

/** Finds what requests refer to. */
export interface Replays {
  /**
   * The replay of a request with its stored items, in which files have their bytes; undefined for most requests, which
   * need none.
   *
   * @param recalled the conversation that it continues, if that is not stored
   */
  readonly lookUp: (
    asking: Asking<Continuing>,
    mode?: Mode,
    recalled?: History
  ) => Effect.Effect<Replay, Failure> | undefined
  /** The same for every request. */
  readonly find: (asking: Asking<Continuing>, mode?: Mode) => Effect.Effect<Replay, Failure>
}

export const makeReplays: Effect.Effect<Replays, never, ResponseStore> = Effect.gen(function* () {
  const store = yield* ResponseStore
  const files = yield* InlineFiles

  /** The replay with the bytes of its files. */
  const whole = ({ caller, request }: Asking<Continuing>, replay: Replay): Effect.Effect<Replay, Failure> => {
    const { conversation, history, input } = replay
    const hasFiles = history.some(namesFile) || input.some(namesFile)
    const put = hasFiles ? files.putIn(caller, { history, input }, request) : undefined
    if (put === undefined) return Effect.succeed(replay)
    const known = Effect.map(put, (items) => ({ ...replay, ...items }))
    if (conversation?.token === undefined) return known
    const { id, token } = conversation
    return Effect.onError(known, () => store.conversations.release(id, token))
  }

  const lookUp: Replays["lookUp"] = (asking, mode = "look", recalled) => {
    const {
      caller,
      payload: { conversation, input, previous_response_id }
    } = asking
    const own = inputItems(input)
    const previous = previous_response_id ?? undefined
    if (conversation !== undefined && conversation !== null) {
      if (previous !== undefined) return Effect.fail(onlyOne)
      const id = conversationOf(conversation)
      if (id !== undefined) {
        return Effect.flatMap(inConversation(store, caller, id, own, mode), (replay) => whole(asking, replay))
      }
    }
    if (previous === undefined && !own.some((item) => item.type === "item_reference")) return undefined
    const history =
      recalled !== undefined || previous === undefined ? Effect.succeed(recalled) : store.history(caller, previous)
    return Effect.flatMap(history, (history) =>
      Effect.flatMap(store.resolve(caller, own), (input) =>
        whole(asking, { history: history?.items ?? [], first: history?.first, input })
      )
    )
  }

  return { lookUp, find: (asking, mode) => lookUp(asking, mode) ?? Effect.succeed(ownReplay(asking.payload)) }
})

/** True if one of an item's parts has the id of a file. */
const namesFile = (item: InputItem): boolean => {
  const parts = "content" in item ? item.content : "output" in item ? item.output : undefined
  return Array.isArray(parts) ? parts.some(hasFileId) : hasFileId(parts)
}

const hasFileId = (part: unknown): boolean => isJsonObject(part) && typeof part["file_id"] === "string"
