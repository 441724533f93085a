import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { forbidden } from "../contract/callers/permission.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { modalitiesOf } from "../contract/records/ModelFacts.ts"
import type { ModelFacts } from "../contract/records/ModelFacts.ts"
import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { anthropicFacts } from "./facts/anthropicFacts.ts"
import { openaiFacts } from "./facts/openaiFacts.ts"
import { videoBoundsOf } from "./videoBounds.ts"
import { videoBoundsRecord } from "./VideoBoundsRecord.ts"

/** The models that a caller may use, as the APIs of OpenAI and Anthropic list them. */
export const makeModelList = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const videos = yield* VideoUpstreams

  const entry = (model: Model, isAnthropic: boolean) => {
    const { facts, id, kind, ownedBy, routes } = model
    const createdMs = facts.released === undefined ? 0 : Date.parse(facts.released)
    const bounds = kind === "video" ? videoBoundsOf({ routes }, videos) : undefined
    const known = bounds === undefined ? model : { ...model, facts: { ...readBy(bounds), ...facts } }
    return {
      id,
      object: "model" as const,
      created: createdMs / 1_000,
      kind,
      owned_by: ownedBy,
      type: "model" as const,
      display_name: id,
      created_at: new Date(createdMs).toISOString(),
      ...(isAnthropic ? anthropicFacts(known) : openaiFacts(known)),
      ...(bounds !== undefined && { video: videoBoundsRecord(bounds) })
    }
  }

  const list = (caller: Caller, kind: Model["kind"] | undefined, isAnthropic: boolean) => {
    const data = [...catalogue.values()]
      .filter((model) => forbidden(caller, model) === undefined && (kind ?? model.kind) === model.kind)
      .map((model) => entry(model, isAnthropic))
    return {
      object: "list" as const,
      data,
      has_more: false as const,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      total_count: data.length,
      links: { next: null }
    }
  }

  /** A model that the caller may not use is answered as one that does not exist. */
  const find = (caller: Caller, id: string, isAnthropic: boolean) => {
    const model = catalogue.get(id)
    return model === undefined || forbidden(caller, model) !== undefined
      ? Effect.fail(new NotFound({ param: "model", message: `The model '${id}' does not exist` }))
      : Effect.succeed(entry(model, isAnthropic))
  }

  return { list, find } as const
})

/** The content that a video model reads. */
const readBy = ({ frameImages, references: { audios, images, videos } }: VideoBounds): ModelFacts => {
  const inputs = modalitiesOf([
    "text",
    ...(frameImages + images > 0 ? ["image"] : []),
    ...(audios > 0 ? ["audio"] : []),
    ...(videos > 0 ? ["video"] : [])
  ])
  return inputs === undefined ? {} : { inputs }
}
