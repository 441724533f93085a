import { Effect } from "effect"
import { isAnthropicClient } from "../contract/callers/anthropicClient.ts"
import { handlers } from "../contract/handlers.ts"
import { ModelsApi } from "./Api.ts"
import { makeModelList } from "./ModelList.ts"

export const ModelsHandlers = handlers(
  ModelsApi,
  Effect.map(makeModelList, ({ find, list }) => ({
    list: ({ caller, request: { headers }, urlParams: { kind } }) =>
      Effect.sync(() => list(caller, kind, isAnthropicClient(headers))),
    find: ({ caller, path, request: { headers } }) => find(caller, path.id, isAnthropicClient(headers))
  }))
)
