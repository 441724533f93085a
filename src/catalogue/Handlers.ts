import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ModelsApi } from "./Api.ts"
import { makeModelList } from "./ModelList.ts"

export const ModelsHandlers = handlers(
  ModelsApi,
  Effect.map(makeModelList, ({ find, list }) => ({
    list: ({ caller, urlParams: { kind } }) => Effect.sync(() => list(caller, kind)),
    find: ({ caller, path }) => find(caller, path.id)
  }))
)
