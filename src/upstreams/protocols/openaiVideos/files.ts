import { Clock, Data, Effect, FiberMap, Option } from "effect"
import type { Scope } from "effect"
import { PublicUrl } from "../../../config/PublicUrl.ts"
import { KeptFiles } from "../../../files/KeptFiles.ts"
import type { VideoApi } from "../../videoApi.ts"
import { VideoRejected } from "../../VideoUpstream.ts"

const videoFile = "video.mp4"

/** The longest delay before a failed fetch is repeated. */
const longestDelayMs = 5 * 60_000

/**
 * The file was not fetched completely. `isGone`: it never will be, because the upstream has deleted it or it is too
 * large.
 */
class NotFetched extends Data.TaggedError("NotFetched")<{ readonly isGone: boolean; readonly reason: string }> {}

export interface VideoFiles {
  /**
   * The gateway's link to a finished video's file; none while it is being fetched or cannot be stored at the moment.
   */
  readonly linkOf: (upstreamId: string) => Effect.Effect<Option.Option<string>, VideoRejected>
}

/**
 * Files that only the upstream's key can read: each is fetched once, in the background, and served by the gateway. A
 * failed fetch is repeated on request after a growing delay.
 */
export const makeVideoFiles = Effect.fnUntraced(function* (
  api: VideoApi
): Effect.fn.Return<VideoFiles, never, KeptFiles | PublicUrl | Scope.Scope> {
  const keptFiles = yield* KeptFiles
  const publicUrl = yield* PublicUrl
  const fetches = yield* FiberMap.make<string>()
  const gone = new Set<string>()
  /** Failed fetches, and when each may be repeated. */
  const failures = new Map<string, { readonly count: number; readonly againAtMs: number }>()

  const linkOf = Effect.fnUntraced(
    function* (upstreamId: string) {
      if (gone.delete(upstreamId)) return yield* unavailable
      const id = keptFiles.idOf(api.name, upstreamId)
      const file = yield* keptFiles.file(id, videoFile)
      if (Option.isSome(file)) return Option.some(`${yield* publicUrl.get}/files/${id}/${videoFile}`)
      const failure = failures.get(upstreamId)
      if (failure !== undefined && (yield* Clock.currentTimeMillis) < failure.againAtMs) return Option.none()
      yield* FiberMap.run(fetches, upstreamId, fetched(upstreamId, id), { onlyIfMissing: true })
      return Option.none()
    },
    Effect.catchTag("FilesUnavailable", () => Effect.succeedNone)
  )

  const fetched = (upstreamId: string, id: string) =>
    download(`/videos/${encodeURIComponent(upstreamId)}/content`, id).pipe(
      Effect.tap(() => Effect.sync(() => failures.delete(upstreamId))),
      Effect.tapErrorTag("NotFetched", ({ isGone }) =>
        isGone ? Effect.sync(() => gone.add(upstreamId)) : delayed(upstreamId)
      ),
      Effect.catchTag("NotFetched", ({ reason }) =>
        Effect.annotateLogs(Effect.logWarning("fetching a finished video failed"), { reason })
      ),
      Effect.catchAllCause((cause) => Effect.logWarning("fetching a finished video failed", cause)),
      Effect.annotateLogs({ upstream: api.name, upstream_id: upstreamId })
    )

  const download = (from: string, id: string): Effect.Effect<void, NotFetched> =>
    Effect.acquireUseRelease(
      Effect.mapError(api.open(from), ({ reason }) => new NotFetched({ isGone: false, reason })),
      (exchange) =>
        exchange.status === 200
          ? Effect.mapError(
              keptFiles.keep(id, videoFile, () => exchange.read()),
              (error) =>
                new NotFetched({
                  isGone: error._tag === "NotKept" && error.why === "too-large",
                  reason: error.message
                })
            )
          : new NotFetched({
              isGone: exchange.status === 404 || exchange.status === 410,
              reason: `status ${exchange.status}`
            }),
      (exchange) => Effect.sync(() => exchange.cancel())
    )

  const delayed = (upstreamId: string) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const count = (failures.get(upstreamId)?.count ?? 0) + 1
      if (failures.size > 10_000) failures.clear()
      failures.set(upstreamId, { count, againAtMs: nowMs + Math.min(500 * 2 ** (count - 1), longestDelayMs) })
    })

  return { linkOf }
})

const unavailable = new VideoRejected({
  code: "ResourceNotFound",
  message: "The upstream made the video, but its file could not be fetched"
})
