import { Effect, Option, Schema } from "effect"
import { Ownership } from "../ownership/Ownership.ts"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { NotFound } from "../contract/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { listAt, objectAt } from "../contract/json.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { contentOf } from "../upstreams/protocols/arkVideo/request.ts"
import { VideoJob } from "../upstreams/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { CreateVideoTask, isDuration, isFrameCount, Ratio } from "./CreateVideoTask.ts"
import { framesPerSecond } from "./geometry.ts"
import { videoTask } from "./VideoTask.ts"
import type { VideoTask } from "./VideoTask.ts"

/** What a request means once the draft that it promotes is known. */
export interface Meant {
  /** With the draft's own content and settings, where the draft is known here. */
  readonly request: CreateVideoTask
  /** For an upstream that passes it through. */
  readonly body: unknown
  readonly draftTaskId?: string
  /** Keeps what the request is the first to name with its account. To be run once the request is accepted. */
  readonly claim: Effect.Effect<void>
}

/**
 * Turns a `draft_task` into what the draft was made of, so that any model can make the real video of it. Where the
 * upstream that made the draft is asked again, and takes such parts, it gets them with its own id for the draft. What
 * is no task of this gateway's may be a draft that the operator has made there: the upstream knows.
 */
export const makePromote = Effect.gen(function* () {
  const store = yield* TaskStore
  const belongings = yield* Ownership

  return Effect.fnUntraced(function* (
    account: AccountId,
    request: CreateVideoTask,
    body: unknown,
    upstream: Pick<VideoUpstream, "name" | "isPassthrough">
  ): Effect.fn.Return<Meant, InvalidRequest | NotFound> {
    const at = request.content.findIndex(({ type }) => type === "draft_task")
    const part = request.content[at]
    if (part?.type !== "draft_task") return { request, body, claim: Effect.void }
    if (request.content.slice(at + 1).some(({ type }) => type === "draft_task")) {
      return yield* refuse("content", "expected at most one draft_task")
    }
    const { id } = part.draft_task
    const param = `content[${at}].draft_task.id`
    const found = yield* Effect.orDie(store.find(account, "video", id))
    if (Option.isNone(found)) {
      if (!upstream.isPassthrough) return yield* refuse(param, `no task of this account has the id "${id}"`)
      const unclaimed = yield* belongings.check(account, upstream.name, [{ id, param }])
      const claim = Effect.promise(() => belongings.give(account, upstream.name, unclaimed))
      return { request, body, claim }
    }
    const task = videoTask(found.value)
    if (!task.details.settings.draft) return yield* refuse(param, "expected a task created with draft: true")
    if (task.state !== "succeeded") return yield* refuse(param, `expected a draft that succeeded; it is ${task.state}`)
    if (request.draft === true) return yield* refuse("draft", "expected false where a draft is promoted")
    const content = partsOf(yield* Effect.orDie(store.request(id)))
    const isThere = upstream.isPassthrough && task.upstream === upstream.name && task.upstreamId !== null
    if (!isThere && request.content.length > 1) {
      return yield* refuse("content", "expected nothing beside a draft_task: what the draft was made of is used again")
    }
    if (!isThere && content === undefined) {
      return yield* refuse(param, "what this draft was made of is no longer known; create it again")
    }
    const again = {
      ...settled(task),
      ...(content !== undefined && { content }),
      resolution: request.resolution ?? "720p"
    }
    return {
      request: yield* Effect.orDie(decodeRequest({ ...request, ...again })),
      body: isThere ? renamed(body, task.upstreamId) : { ...(isJsonObject(body) ? body : {}), ...again },
      draftTaskId: id,
      claim: Effect.void
    }
  })
})

/** What the finished video keeps of its draft: its upstream's word, where it was left to the model. */
const settled = ({ details: { settings }, result }: VideoTask): JsonObject => {
  const seconds = Math.floor(settings.frames / framesPerSecond)
  return {
    generate_audio: settings.generateAudio,
    camera_fixed: settings.cameraFixed,
    seed: result?.seed ?? settings.seed,
    ratio: isRatio(result?.ratio) ? result.ratio : settings.ratio,
    ...(settings.byFrames
      ? { frames: known(result?.frames, isFrameCount) ?? settings.frames, duration: null }
      : { duration: known(result?.duration, isDuration) ?? (settings.isOpenLength ? -1 : seconds), frames: null })
  }
}

const isRatio = Schema.is(Ratio)
const known = (told: number | undefined, isOne: (value: number) => boolean) =>
  told !== undefined && isOne(told) ? told : undefined

/** The content of the draft's request; undefined where it was not kept, or was a draft's in turn. */
const partsOf = (request: unknown): ReadonlyArray<unknown> | undefined => {
  const job = Option.getOrUndefined(decodeJob(request))
  if (job === undefined) return undefined
  const parts = job.body === null ? contentOf(job) : listAt(job.body, "content")
  return parts.some((part) => objectAt(part, "draft_task") !== undefined) ? undefined : parts
}

/** The body with the draft's id as its upstream has it. */
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
