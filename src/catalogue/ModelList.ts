import { Clock, Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { forbidden } from "../contract/callers/permission.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { videoBoundsOf } from "./videoBounds.ts"
import { videoBoundsRecord } from "./VideoBoundsRecord.ts"

/** The models that a caller may use, as the APIs of OpenAI and Anthropic list them. */
export const makeModelList = Effect.gen(function* () {
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

  const list = (caller: Caller, kind: Model["kind"] | undefined) => {
    const data = [...catalogue.values()]
      .filter((model) => forbidden(caller, model) === undefined && (kind ?? model.kind) === model.kind)
      .map(entry)
    return {
      object: "list" as const,
      data,
      has_more: false as const,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null
    }
  }

  /** A model that the caller may not use is answered as one that does not exist. */
  const find = (caller: Caller, id: string) => {
    const model = catalogue.get(id)
    return model === undefined || forbidden(caller, model) !== undefined
      ? Effect.fail(new NotFound({ param: "model", message: `The model '${id}' does not exist` }))
      : Effect.succeed(entry(model))
  }

  return { list, find } as const
})
