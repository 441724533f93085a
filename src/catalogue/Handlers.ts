import { Clock, Effect } from "effect"
import { NotFound } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { ModelsApi } from "./Api.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import { videoBoundsOf } from "./videoBounds.ts"
import { videoBoundsRecord } from "./VideoBoundsRecord.ts"
import { forbidden } from "../contract/permission.ts"

export const ModelsHandlers = handlers(
  ModelsApi,
  Effect.gen(function* () {
    const catalogue = yield* Catalogue
    const videos = yield* VideoUpstreams
    // The catalogue is as old as its process.
    const created = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const created_at = new Date(created * 1_000).toISOString()
    const entry = ({ id, kind, ownedBy, routes }: Model) => ({
      id,
      object: "model" as const,
      created,
      kind,
      owned_by: ownedBy,
      type: "model" as const,
      display_name: id,
      created_at,
      ...(kind === "video" && { video: videoBoundsRecord(videoBoundsOf({ routes }, videos)) })
    })
    return {
      list: ({ caller, urlParams: { kind } }) => {
        const data = [...catalogue.values()]
          .filter((model) => forbidden(caller, model) === undefined && (kind ?? model.kind) === model.kind)
          .map(entry)
        return Effect.succeed({
          object: "list" as const,
          data,
          has_more: false as const,
          first_id: data[0]?.id ?? null,
          last_id: data.at(-1)?.id ?? null
        })
      },
      find: ({ caller, path }) => {
        const model = catalogue.get(path.id)
        return model === undefined || forbidden(caller, model) !== undefined
          ? Effect.fail(new NotFound({ param: "model", message: `The model '${path.id}' does not exist` }))
          : Effect.succeed(entry(model))
      }
    }
  })
)
