import { Clock, Data, Effect, FiberMap, Option } from "effect"
import type { Scope } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import type { Read } from "../../files/checkFile.ts"
import type { FilesUnavailable } from "../../files/Files.ts"
import { KeptFiles } from "../../files/KeptFiles.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import { base64Member } from "../calls/base64Member.ts"
import type { VideoApi } from "./videoApi.ts"
import type { VideoFetching, VideoReport, VideoResult } from "./VideoUpstream.ts"

const videoFile = "video.mp4"

const longestFetch = "1 hour"

/** The longest delay before a failed fetch is repeated. */
const longestDelayMs = 5 * 60_000

/**
 * The file was not fetched completely. `isGone`: it never will be, because the upstream has deleted it or it is too
 * large.
 */
class NotFetched extends Data.TaggedError("NotFetched")<{
  readonly isGone: boolean
  /** For the log. */
  readonly reason: string
  /** For the caller. */
  readonly shown: string
}> {}

/** An answer with a video's file. The scope closes it. */
interface OpenFile {
  readonly status: number
  readonly read: Read
}

interface NotOpened {
  readonly reason: string
  /** The setting that would allow it (`AddressGuard`). */
  readonly setting?: string | undefined
}

type Opening = Effect.Effect<OpenFile, NotOpened, Scope.Scope>

export interface VideoFiles {
  /**
   * The report of a finished video, at the gateway's link to its file. Until the file is there, and while it cannot be
   * stored, it is being fetched.
   */
  readonly finished: (upstreamId: string, open: Opening, made?: VideoFetching["made"]) => Effect.Effect<VideoReport>
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
  /** Files that never come, and why. */
  const gone = new Map<string, string>()
  /** Failed fetches, and when each may be repeated. */
  const failures = new Map<string, { readonly count: number; readonly againAtMs: number; readonly reason: string }>()

  const finished: VideoFiles["finished"] = Effect.fnUntraced(
    function* (upstreamId, open, made = {}): Effect.fn.Return<VideoReport, FilesUnavailable> {
      const isGone = gone.get(upstreamId)
      if (isGone !== undefined) {
        gone.delete(upstreamId)
        return { ...fetching(made, isGone), isGone: true }
      }
      const id = keptFiles.idOf(api.name, upstreamId)
      const file = yield* keptFiles.file(id, videoFile)
      if (Option.isSome(file)) return succeeded(`${yield* publicUrl.get}/files/${id}/${videoFile}`, made)
      const failure = failures.get(upstreamId)
      const waitMs = (failure?.againAtMs ?? 0) - (yield* Clock.currentTimeMillis)
      if (waitMs > 0) return fetching(made, failure?.reason, waitMs)
      yield* FiberMap.run(fetches, upstreamId, fetched(upstreamId, open, id), { onlyIfMissing: true })
      return fetching(made, failure?.reason)
    },
    (report, _, __, made = {}) => Effect.catchTag(report, "FilesUnavailable", () => Effect.succeed(fetching(made)))
  )

  const fetched = (upstreamId: string, open: Opening, id: string) =>
    download(open, id).pipe(
      Effect.tap(() => Effect.sync(() => failures.delete(upstreamId))),
      Effect.tapErrorTag("NotFetched", ({ isGone, shown }) =>
        isGone ? Effect.sync(() => gone.set(upstreamId, shown)) : delayed(upstreamId, shown)
      ),
      Effect.catchTag("NotFetched", ({ reason }) =>
        Effect.annotateLogs(Effect.logWarning("fetching a finished video failed"), { reason })
      ),
      Effect.catchAllCause((cause) => Effect.logWarning("fetching a finished video failed", cause)),
      Effect.annotateLogs({ upstream: api.name, upstream_id: upstreamId })
    )

  const download = (open: Opening, id: string): Effect.Effect<void, NotFetched> =>
    Effect.scoped(
      Effect.flatMap(Effect.mapError(open, notOpened), ({ read, status }) =>
        status === 200
          ? Effect.mapError(
              keptFiles.keep(id, videoFile, read),
              (error) =>
                new NotFetched({
                  isGone: error._tag === "NotKept" && error.why === "too-large",
                  reason: error.message,
                  shown: error._tag === "NotKept" ? keptWords[error.why] : keptWords["no-room"]
                })
            )
          : new NotFetched({
              isGone: status === 404 || status === 410,
              reason: `status ${status}`,
              shown: `its address answers ${status}`
            })
      )
    ).pipe(
      Effect.timeoutFail({
        duration: longestFetch,
        onTimeout: () => {
          const reason = `not done within ${longestFetch}`
          return new NotFetched({ isGone: false, reason, shown: reason })
        }
      })
    )

  const delayed = (upstreamId: string, reason: string) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const count = (failures.get(upstreamId)?.count ?? 0) + 1
      if (failures.size > 10_000) failures.clear()
      const againAtMs = nowMs + Math.min(500 * 2 ** (count - 1), longestDelayMs)
      failures.set(upstreamId, { count, againAtMs, reason })
    })

  const known = Effect.fnUntraced(
    function* (upstreamId: string): Effect.fn.Return<Option.Option<VideoReport>, FilesUnavailable> {
      if (yield* FiberMap.has(fetches, upstreamId)) return Option.some(fetching({}))
      const id = keptFiles.idOf(api.name, upstreamId)
      if (Option.isNone(yield* keptFiles.file(id, videoFile))) return Option.none()
      return Option.some(succeeded(`${yield* publicUrl.get}/files/${id}/${videoFile}`))
    },
    Effect.catchTag("FilesUnavailable", () => Effect.succeedNone)
  )

  const open = (path: string, body?: string) =>
    Effect.acquireRelease(api.open(path, body), (exchange) => Effect.sync(() => exchange.cancel()))

  const withKey: VideoFiles["withKey"] = (path) =>
    Effect.map(open(path), (exchange) => ({ status: exchange.status, read: () => exchange.read() }))

  const inAnswer: VideoFiles["inAnswer"] = (path, body, begins) =>
    Effect.map(open(path, body), (exchange) => ({
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
const fetching = (made: VideoFetching["made"], reason?: string, nextPollMs = 500): VideoFetching => ({
  status: "fetching",
  nextPollMs,
  made,
  reason
})

const notOpened = ({ reason, setting }: NotOpened) =>
  new NotFetched({
    isGone: false,
    reason: setting === undefined ? reason : `${reason} (${setting} would let it through)`,
    shown: setting === undefined ? "its address does not answer" : notCalled(setting)
  })

/** Tells a caller which setting of the operator's an address needs. */
export const notCalled = (setting: string): string =>
  `its address is not a public one, which the operator's setting \`${setting}\` would let through`

const keptWords = {
  "too-large": "it is larger than the files that the gateway stores",
  "no-room": "the gateway can't store it now",
  "no-clip": "what its address answers is not a video",
  broken: "its download broke off"
} as const
