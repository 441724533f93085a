import { Data, Effect, FiberMap, Option } from "effect"
import type { Scope } from "effect"
import { PublicUrl } from "../../../config/PublicUrl.ts"
import type { Exchange } from "../../client.ts"
import { KeptFiles } from "../../KeptFiles.ts"
import type { VideoApi } from "../../videoApi.ts"
import { VideoRejected, VideoTransient } from "../../VideoUpstream.ts"

const videoFile = "video.mp4"

/** The file did not come, or not whole. `isGone`: nor will it. */
class NotFetched extends Data.TaggedError("NotFetched")<{ readonly isGone: boolean; readonly reason: string }> {}

export interface VideoFiles {
  /** The gateway's own link to a finished video's file; none while the file is on its way here. */
  readonly linkOf: (upstreamId: string) => Effect.Effect<Option.Option<string>, VideoRejected | VideoTransient>
}

/**
 * Files that can be read with the upstream's key alone: fetched once, in the background, and served by the gateway. A
 * fetch that fails is begun again when it is next asked for.
 */
export const makeVideoFiles = (api: VideoApi): Effect.Effect<VideoFiles, never, KeptFiles | PublicUrl | Scope.Scope> =>
  Effect.gen(function* () {
    const kept = yield* KeptFiles
    const publicUrl = yield* PublicUrl
    const fetches = yield* FiberMap.make<string>()
    const gone = new Set<string>()

    const linkOf = (upstreamId: string): Effect.Effect<Option.Option<string>, VideoRejected | VideoTransient> =>
      Effect.gen(function* () {
        if (gone.delete(upstreamId)) return yield* lost
        const id = kept.idOf(api.name, upstreamId)
        const found = yield* kept.file(id, videoFile)
        if (Option.isSome(found)) return Option.some(`${yield* publicUrl.get}/files/${id}/${videoFile}`)
        yield* FiberMap.run(fetches, upstreamId, fetched(upstreamId, id), { onlyIfMissing: true })
        return Option.none()
      }).pipe(Effect.catchTags({ BadArgument: unreadable, SystemError: unreadable }))

    const fetched = (upstreamId: string, id: string) =>
      kept
        .keep(id, videoFile, (path) => download(`/videos/${encodeURIComponent(upstreamId)}/content`, path))
        .pipe(
          Effect.tapErrorTag("NotFetched", ({ isGone }) => Effect.sync(() => isGone && gone.add(upstreamId))),
          Effect.catchAllCause((cause) => Effect.logWarning("a finished video was not fetched", cause)),
          Effect.annotateLogs({ upstream: api.name })
        )

    const download = (from: string, path: string): Effect.Effect<void, NotFetched> =>
      Effect.acquireUseRelease(
        Effect.mapError(api.open(from), ({ reason }) => new NotFetched({ isGone: false, reason })),
        (exchange) =>
          exchange.status === 200
            ? Effect.tryPromise({
                try: () => writeAll(exchange, path),
                catch: (cause) => new NotFetched({ isGone: false, reason: String(cause) })
              })
            : new NotFetched({
                isGone: exchange.status === 404 || exchange.status === 410,
                reason: `status ${exchange.status}`
              }),
        (exchange) => Effect.sync(() => exchange.cancel())
      )

    return { linkOf }
  })

const lost = new VideoRejected({
  code: "ResourceNotFound",
  message: "The upstream made the video, and no longer has its file"
})

const unreadable = (error: { readonly message: string }) =>
  Effect.fail(new VideoTransient({ reason: `kept files: ${error.message}` }))

const writeAll = async (exchange: Exchange, path: string): Promise<void> => {
  const sink = Bun.file(path).writer({ highWaterMark: 1024 * 1024 })
  try {
    for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read()) {
      await sink.write(bytes)
      await sink.flush()
    }
  } finally {
    await sink.end()
  }
}
