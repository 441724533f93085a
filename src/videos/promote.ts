import { Effect, Option, Schema } from "effect"
import { madeWith } from "../ownership/madeWith.ts"
import { Ownership } from "../ownership/Ownership.ts"
import { reachesKey } from "../contract/callers/Caller.ts"
import type { Holder } from "../contract/callers/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { listAt, objectAt } from "../contract/json/json.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { contentOf } from "../upstreams/protocols/arkVideo/request.ts"
import { VideoJob } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import { usualResolution } from "./bounds.ts"
import { CreateVideoTask, isDuration, isFrameCount, isRatio } from "./CreateVideoTask.ts"
import { framesPerSecond } from "./geometry.ts"
import { videoTask } from "./VideoTask.ts"
import type { VideoTask } from "./VideoTask.ts"

/** A request with its draft resolved. */
export interface ResolvedDraft {
  /** With the draft's own content and settings, if this gateway made the draft. */
  readonly request: CreateVideoTask
  /** For a passthrough upstream. */
  readonly body: unknown
  readonly draftTaskId?: string
  /** Records the account's ownership of ids that it is the first to use. Run once the request is accepted. */
  readonly claim: Effect.Effect<void>
}

/**
 * Replaces a `draft_task` with the draft's own content, so that any model can make the final video. If the draft's own
 * upstream is used and accepts such parts, it gets its own id of the draft. An id that is not this gateway's may be a
 * draft that the operator made there: the upstream decides.
 */
export const makePromote = Effect.gen(function* () {
  const store = yield* TaskStore
  const ownership = yield* Ownership

  /** @param keys the names of the upstream's keys */
  return Effect.fnUntraced(function* (
    holder: Holder,
    request: CreateVideoTask,
    body: unknown,
    upstream: Pick<VideoUpstream, "name" | "isPassthrough" | "key">,
    keys: ReadonlyArray<string>,
    bounds: Pick<VideoBounds, "resolutions">
  ): Effect.fn.Return<ResolvedDraft, InvalidRequest | NotFound> {
    const at = request.content.findIndex(({ type }) => type === "draft_task")
    const part = request.content[at]
    if (part?.type !== "draft_task") return { request, body, claim: Effect.void }
    if (request.content.slice(at + 1).some(({ type }) => type === "draft_task")) {
      return yield* refuse("content", "expected at most one draft_task")
    }
    const { id } = part.draft_task
    const param = `content[${at}].draft_task.id`
    const { account } = holder
    const draft = yield* Effect.orDie(store.find(account, "video", id))
    if (Option.isNone(draft) || !reachesKey(holder, draft.value.key)) {
      if (!upstream.isPassthrough) return yield* refuse(param, `no task of this account has the id "${id}"`)
      const known = yield* ownership.check(holder, upstream.name, [{ id, param }])
      yield* sameKey(upstream, madeWith(known, keys) ?? keys[0], param)
      const claim = Effect.promise(() => ownership.give({ account }, upstream.name, known.unclaimed, upstream.key))
      return { request, body, claim }
    }
    const task = videoTask(draft.value)
    if (!task.details.settings.draft) return yield* refuse(param, "expected a task created with draft: true")
    if (task.state !== "succeeded") return yield* refuse(param, `expected a draft that succeeded; it is ${task.state}`)
    if (request.draft === true) return yield* refuse("draft", "expected false when a draft is promoted")
    const content = partsOf(yield* Effect.orDie(store.request(id)))
    const made = task.details.upstreamKey ?? keys[0]
    const isItsUpstream = upstream.isPassthrough && task.upstream === upstream.name && task.upstreamId !== null
    if (isItsUpstream && made !== undefined && keys.includes(made)) yield* sameKey(upstream, made, param)
    const isThere = isItsUpstream && (made === undefined || keys.includes(made))
    if (!isThere && request.content.length > 1) {
      return yield* refuse("content", "expected nothing beside a draft_task: the draft's own content is used again")
    }
    if (!isThere && content === undefined) {
      return yield* refuse(param, "this draft's request is no longer stored; create the draft again")
    }
    const again = {
      ...settled(task),
      ...(content !== undefined && { content }),
      resolution: request.resolution ?? usualResolution(bounds)
    }
    return {
      request: yield* Effect.orDie(decodeRequest({ ...request, ...again })),
      body: isThere ? renamed(body, task.upstreamId) : { ...(isJsonObject(body) ? body : {}), ...again },
      draftTaskId: id,
      claim: Effect.void
    }
  })
})

/** Fails if a draft was made with another of the upstream's keys. */
const sameKey = ({ key }: Pick<VideoUpstream, "key">, made: string | NotFound | undefined, param: string) => {
  if (made instanceof NotFound) return Effect.fail(made)
  return key === undefined || made === undefined || key === made
    ? Effect.void
    : Effect.fail(new NotFound({ param, message: `${param}: it was made with another key of the upstream` }))
}

/** The draft's settings for the final video, with the upstream's values where the model chose. */
const settled = ({ details: { settings }, result }: VideoTask): JsonObject => {
  const seconds = Math.floor(settings.frames / framesPerSecond)
  return {
    generate_audio: settings.generateAudio,
    camera_fixed: settings.cameraFixed,
    seed: result?.seed ?? settings.seed,
    ratio: isRatio(result?.ratio) ? result.ratio : settings.ratio,
    ...(settings.byFrames
      ? { frames: plausible(result?.frames, isFrameCount) ?? settings.frames, duration: null }
      : { duration: plausible(result?.duration, isDuration) ?? (settings.isOpenLength ? -1 : seconds), frames: null })
  }
}

const plausible = (reported: number | undefined, isOne: (value: number) => boolean) =>
  reported !== undefined && isOne(reported) ? reported : undefined

/** The content of the draft's request; undefined if it was not stored, or was itself a draft's. */
const partsOf = (request: unknown): ReadonlyArray<unknown> | undefined => {
  const job = Option.getOrUndefined(decodeJob(request))
  if (job === undefined) return undefined
  const parts = job.body === null ? contentOf(job) : listAt(job.body, "content")
  return parts.some((part) => objectAt(part, "draft_task") !== undefined) ? undefined : parts
}

/** The body with the upstream's id of the draft. */
const renamed = (body: unknown, id: string | null): JsonObject => ({
  ...(isJsonObject(body) ? body : {}),
  content: listAt(body, "content").map((part) => {
    const draft = objectAt(part, "draft_task")
    return draft === undefined || !isJsonObject(part) ? part : { ...part, draft_task: { ...draft, id } }
  })
})

const decodeRequest = Schema.decodeUnknown(CreateVideoTask)
const decodeJob = Schema.decodeUnknownOption(VideoJob)

const refuse = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })
