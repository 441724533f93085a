import { Effect } from "effect"
import { NotFound } from "../contract/failures/Failure.ts"
import type { Own } from "../contract/callers/Own.ts"
import { operatorView, requestView, toolsView } from "./RequestView.ts"
import type { RequestDetail } from "./RequestView.ts"
import type { RequestStore } from "./store/RequestStore.ts"

/** One stored request, with its cost explained and its recorded bodies. @param own finds only these */
export const requestOf = Effect.fnUntraced(function* (
  store: RequestStore,
  id: string,
  own?: Own
): Effect.fn.Return<RequestDetail, NotFound> {
  const row = yield* Effect.orDie(store.find(id, own))
  if (row === undefined) return yield* new NotFound({ param: null, message: `no request "${id}" is kept` })
  const view = own === undefined ? operatorView(row) : requestView(row)
  const tools = yield* Effect.orDie(store.toolsOf(id))
  const cost = yield* Effect.orDie(store.costOf(row))
  return { ...view, ...toolsView(tools), cost: cost ?? null, bodies: (yield* Effect.orDie(store.bodies(id))) ?? null }
})
