import { Effect } from "effect"
import { NotFound } from "../contract/Failure.ts"
import { requestView } from "./RequestView.ts"
import type { RequestView } from "./RequestView.ts"
import type { RequestStore } from "./store/RequestStore.ts"

/** What became of one request. @param account only this one's are there */
export const requestOf = (store: RequestStore, id: string, account?: string): Effect.Effect<RequestView, NotFound> =>
  Effect.flatMap(Effect.orDie(store.find(id, account)), (row) =>
    row === undefined
      ? Effect.fail(new NotFound({ param: null, message: `no request "${id}" is kept` }))
      : Effect.succeed(requestView(row))
  )
