import { Clock, Data, Effect, FiberMap, Option } from "effect"
import type { Scope } from "effect"
import { PublicUrl } from "../config/PublicUrl.ts"
import type { Read } from "../files/checked.ts"
import type { FilesUnavailable } from "../files/Files.ts"
import { KeptFiles } from "../files/KeptFiles.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { base64Member } from "./base64Member.ts"
import type { VideoApi } from "./videoApi.ts"
import { VideoRejected } from "./VideoUpstream.ts"
import type { VideoReport, VideoResult } from "./VideoUpstream.ts"

const videoFile = "video.mp4"

const longestFetch = "1 hour"

/** The longest delay before a failed fetch is repeated. */
const longestDelayMs = 5 * 60_000

/**
 * The file was not fetched completely. `isGone`: it never will be, because the upstream has deleted it or it is too
 * large.
 */
class NotFetched extends Data.TaggedError("NotFetched")<{ readonly isGone: boolean; readonly reason: string }> {}

/** An answer with a video's file. The scope closes it. */
interface OpenFile {
  readonly status: number
  readonly read: Read
}

type Opening = Effect.Effect<OpenFile, { readonly reason: string }, Scope.Scope>

export interface VideoFiles {
  /**
   * The report of a finished video, at the gateway's link to its file. Until the file is there, and while it cannot be
   * stored, the video is still running.
   */
  readonly finished: (
    upstreamId: string,
    open: Opening,
    result?: Omit<VideoResult, "videoUrl">
  ) => Effect.Effect<VideoReport, VideoRejected>
  /** The report of a video whose file is there or being fetched, without a call of the upstream. */
  readonly known: (upstreamId: string) => Effect.Effect<Option.Option<VideoReport>>
  /** A file at an address of the upstream's API, which only the key can read. */
  readonly withKey: (path: string) => Opening
  /** A file inside an answer to a POST, in base64. `begins` matches what is before it. */
  readonly inAnswer: (path: string, body: string, begins: RegExp) => Opening
  /** A file at an address that anyone can read. */
  readonly at: (url: string) => Opening
}

/**
 * Files that only the upstream's key can read, or whose addresses end soon: each is fetched once, in the background, and
 * served by the gateway. A failed fetch is repeated on request after a growing delay.
 */
export const makeVideoFiles = Effect.fnUntraced(function* (
  api: VideoApi
): Effect.fn.Return<VideoFiles, never, KeptFiles | PublicUrl | AddressGuard | Scope.Scope> {
  const keptFiles = yield* KeptFiles
  const publicUrl = yield* PublicUrl
  const guard = yield* AddressGuard
  const fetches = yield* FiberMap.make<string>()
  const gone = new Set<string>()
  /** Failed fetches, and when each may be repeated. */
  const failures = new Map<string, { readonly count: number; readonly againAtMs: number }>()

  const linkOf = Effect.fnUntraced(
    function* (
      upstreamId: string,
      open: Opening
    ): Effect.fn.Return<Option.Option<string>, VideoRejected | FilesUnavailable> {
      if (gone.delete(upstreamId)) return yield* unavailable
      const id = keptFiles.idOf(api.name, upstreamId)
      const file = yield* keptFiles.file(id, videoFile)
      if (Option.isSome(file)) return Option.some(`${yield* publicUrl.get}/files/${id}/${videoFile}`)
      const failure = failures.get(upstreamId)
      if (failure !== undefined && (yield* Clock.currentTimeMillis) < failure.againAtMs) return Option.none()
      yield* FiberMap.run(fetches, upstreamId, fetched(upstreamId, open, id), { onlyIfMissing: true })
      return Option.none()
    },
    Effect.catchTag("FilesUnavailable", () => Effect.succeed(Option.none<string>()))
  )

  const finished: VideoFiles["finished"] = (upstreamId, open, result) =>
    Effect.map(
      linkOf(upstreamId, open),
      Option.match({
        onNone: () => fetching,
        onSome: (videoUrl) => succeeded(videoUrl, result)
      })
    )

  const fetched = (upstreamId: string, open: Opening, id: string) =>
    download(open, id).pipe(
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

  const download = (open: Opening, id: string): Effect.Effect<void, NotFetched> =>
    Effect.scoped(
      Effect.flatMap(
        Effect.mapError(open, ({ reason }) => new NotFetched({ isGone: false, reason })),
        ({ read, status }) =>
          status === 200
            ? Effect.mapError(
                keptFiles.keep(id, videoFile, read),
                (error) =>
                  new NotFetched({
                    isGone: error._tag === "NotKept" && error.why === "too-large",
                    reason: error.message
                  })
              )
            : new NotFetched({ isGone: status === 404 || status === 410, reason: `status ${status}` })
      )
    ).pipe(
      Effect.timeoutFail({
        duration: longestFetch,
        onTimeout: () => new NotFetched({ isGone: false, reason: `not done within ${longestFetch}` })
      })
    )

  const delayed = (upstreamId: string) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const count = (failures.get(upstreamId)?.count ?? 0) + 1
      if (failures.size > 10_000) failures.clear()
      failures.set(upstreamId, { count, againAtMs: nowMs + Math.min(500 * 2 ** (count - 1), longestDelayMs) })
    })

  const known = Effect.fnUntraced(
    function* (upstreamId: string): Effect.fn.Return<Option.Option<VideoReport>, FilesUnavailable> {
      if (yield* FiberMap.has(fetches, upstreamId)) return Option.some(fetching)
      const id = keptFiles.idOf(api.name, upstreamId)
      if (Option.isNone(yield* keptFiles.file(id, videoFile))) return Option.none()
      return Option.some(succeeded(`${yield* publicUrl.get}/files/${id}/${videoFile}`))
    },
    Effect.catchTag("FilesUnavailable", () => Effect.succeedNone)
  )

  const opened = (path: string, body?: string) =>
    Effect.acquireRelease(api.open(path, body), (exchange) => Effect.sync(() => exchange.cancel()))

  const withKey: VideoFiles["withKey"] = (path) =>
    Effect.map(opened(path), (exchange) => ({ status: exchange.status, read: () => exchange.read() }))

  const inAnswer: VideoFiles["inAnswer"] = (path, body, begins) =>
    Effect.map(opened(path, body), (exchange) => ({
      status: exchange.status,
      read: base64Member(() => exchange.read(), begins)
    }))

  return { finished, known, withKey, inAnswer, at: (url) => guard.open(url, patience) }
})

const patience = { connectMs: 10_000, idleMs: 30_000 }

const succeeded = (videoUrl: string, result?: Omit<VideoResult, "videoUrl">): VideoReport => ({
  status: "succeeded",
  result: { ...result, videoUrl }
})

/** The report while the gateway fetches the file. */
const fetching: VideoReport = { status: "running", nextPollMs: 500 }

const unavailable = new VideoRejected({
  code: "ResourceNotFound",
  message: "The upstream made the video, but its file could not be fetched"
})
