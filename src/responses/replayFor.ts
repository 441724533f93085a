import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { CountInputTokens } from "./CreateResponse.ts"
import { inputItems } from "./decode.ts"
import type { Replay } from "./decode.ts"
import type { History, ResponseStore } from "./store/ResponseStore.ts"

type Continuing = Pick<CountInputTokens, "previous_response_id" | "input">

/** The replay of a request that refers to nothing stored. */
export const ownReplay = ({ input }: Pick<Continuing, "input">): Replay => ({ history: [], input: inputItems(input) })

/**
 * Finds the stored items of a request; undefined for most requests, which need none.
 *
 * @param recalled the conversation that it continues, if that is not stored
 */
export const lookUpReplay = (
  store: ResponseStore,
  holder: Holder,
  { input, previous_response_id }: Continuing,
  recalled?: History
): Effect.Effect<Replay, Failure> | undefined => {
  const own = inputItems(input)
  const previous = previous_response_id ?? undefined
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
export const replayFor = (store: ResponseStore, holder: Holder, request: Continuing): Effect.Effect<Replay, Failure> =>
  lookUpReplay(store, holder, request) ?? Effect.succeed(ownReplay(request))
