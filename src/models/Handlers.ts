import { Clock, Effect } from "effect"
import { NotFound } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { ModelsApi } from "./Api.ts"
import type { Model } from "./Catalogue.ts"
import { Models } from "./Models.ts"

export const ModelsHandlers = handlers(
  ModelsApi,
  Effect.gen(function* () {
    const models = yield* Models
    // A catalogue is as old as its process.
    const created = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const entry = (model: Model) => ({ id: model.id, object: "model" as const, created, owned_by: model.ownedBy })
    return {
      list: () => Effect.succeed({ object: "list" as const, data: models.list().map(entry) }),
      find: ({ path }) => {
        const found = models.get(path.id)
        return found === undefined
          ? Effect.fail(new NotFound({ param: "model", message: `The model '${path.id}' does not exist` }))
          : Effect.succeed(entry(found))
      }
    }
  })
)
