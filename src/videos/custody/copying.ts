import { Clock, Data, Duration, Effect, Option, Schedule } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { filesPath } from "../../files/Api.ts"
import { KeptFiles } from "../../files/KeptFiles.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import { notCalled } from "../../upstreams/videos/videoFiles.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import { UnitOfWork } from "../../tasks/UnitOfWork.ts"
import { Metrics } from "../../telemetry/Metrics.ts"
import { CustodyStore, custodyLease } from "./store/CustodyStore.ts"
import type { ArchivedFile } from "./store/CustodyStore.ts"

/** The time limits of one try. */
const patience = { connectMs: 10_000, idleMs: 30_000 }
const longestCopy = "1 hour"

/** Upstreams' links work for a day. */
const givesUpAfterMs = Duration.toMillis("24 hours")

/** The delay after storage was unavailable, short enough for an outage. */
const awayMs = 3_000

/** A failed try. `isFinal`: another one would fail too. */
class NotCopied extends Data.TaggedError("NotCopied")<{ readonly isFinal: boolean; readonly reason: string }> {}

/**
 * Makes one copy, after which the task's record shows the gateway's link, or removes an expired one. Failures are
 * retried later from the start. Never fails itself: the row has what is left to do.
 */
export const makeCopying = Effect.fnUntraced(function* (keep: Duration.Duration) {
  const store = yield* CustodyStore
  const unit = yield* UnitOfWork
  const keptFiles = yield* KeptFiles
  const guard = yield* AddressGuard
  const publicUrl = yield* PublicUrl
  const tasks = yield* TaskStore
  const metrics = yield* Metrics

  const copy = Effect.fnUntraced(function* (held: ArchivedFile, source: string) {
    const id = keptFiles.custody.idOf(held.taskId, held.part)
    // A worker that died may have stored it already.
    const existing = yield* keptFiles.custody.find(id, held.name)
    const bytes = Option.isSome(existing) ? existing.value.size : yield* fetched(held, source, id)
    const url = `${yield* publicUrl.get}${filesPath}/${id}/${held.name}`
    const nowMs = yield* Clock.currentTimeMillis
    const shown = Effect.flatMap(tasks.amend(held.taskId, linked(held, url)), (isShown) => {
      // The task was removed meanwhile, so its link can no longer be read.
      const untilMs = isShown ? nowMs + Duration.toMillis(keep) : nowMs
      return store.copied(held, { bytes, fileId: id, untilMs })
    })
    yield* unit.commit(shown)
    metrics.copies.of("copied").add(1)
    yield* Effect.annotateLogs(Effect.logInfo("a finished video was copied"), { part: held.part, bytes })
  })

  /** Copies the whole file. Returns its length in bytes. */
  const fetched = Effect.fnUntraced(
    function* (held: ArchivedFile, source: string, id: string) {
      const answer = yield* guard.open(source, patience).pipe(
        Effect.mapError(
          (error) =>
            new NotCopied({
              isFinal: false,
              reason: "setting" in error && error.setting !== undefined ? notCalled(error.setting) : error.reason
            })
        )
      )
      if (answer.status !== 200) {
        return yield* new NotCopied({ isFinal: false, reason: `status ${answer.status}` })
      }
      return yield* keptFiles.custody.keep(id, held.name, {
        read: answer.read,
        declared: answer.length,
        is: held.part === "video" ? "video" : "image"
      })
    },
    Effect.scoped,
    Effect.timeoutFail({
      duration: longestCopy,
      onTimeout: () => new NotCopied({ isFinal: false, reason: `not done within ${longestCopy}` })
    }),
    Effect.catchTag("NotKept", ({ message, why }) => new NotCopied({ isFinal: why === "too-large", reason: message }))
  )

  const failed = Effect.fnUntraced(function* (held: ArchivedFile, { isFinal, reason }: NotCopied) {
    const nowMs = yield* Clock.currentTimeMillis
    const isOver = isFinal || nowMs >= held.begunAtMs + givesUpAfterMs
    const message = isOver ? "a finished video is not copied" : "a finished video was not copied yet"
    yield* Effect.annotateLogs(Effect.logWarning(message), { reason, try: held.tries + 1 })
    metrics.copies.of(isOver ? "given_up" : "failed").add(1)
    yield* isOver ? store.forget(held) : store.later(held, nowMs + delayMs(held.tries))
  })

  const remove = (held: ArchivedFile) =>
    Effect.zipRight(
      keptFiles.custody.remove(held.fileId ?? keptFiles.custody.idOf(held.taskId, held.part), held.name),
      store.forget(held)
    )

  /** Does not count as a try. The log has the reason. */
  const postponed = (held: ArchivedFile) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => store.again(held, nowMs + awayMs))

  const renewing = (held: ArchivedFile) =>
    Effect.zipRight(Effect.sleep(Duration.times(custodyLease, 1 / 3)), store.renew(held)).pipe(
      // Only a lost lease ends it: a database outage may end before the lease does.
      Effect.catchTag("SqlError", (error) => Effect.logWarning("a copy's lease was not renewed", error)),
      Effect.repeat(Schedule.forever)
    )

  /** True for files that the gateway made or fetched itself. */
  const made = (held: ArchivedFile, source: string) =>
    Effect.flatMap(publicUrl.get, (url) =>
      orStoreFailure(source.startsWith(`${url}${filesPath}/`) ? store.forget(held) : copy(held, source))
    )

  return (held: ArchivedFile): Effect.Effect<void> => {
    const work = orStoreFailure(held.source === null ? remove(held) : made(held, held.source))
    return Effect.raceFirst(work, renewing(held)).pipe(
      Effect.catchTags({ NotCopied: (error) => failed(held, error), FilesUnavailable: () => postponed(held) }),
      Effect.onInterrupt(() =>
        Effect.ignore(Effect.flatMap(Clock.currentTimeMillis, (nowMs) => store.again(held, nowMs)))
      ),
      Effect.catchTag("CopyLost", () => Effect.logInfo("another worker has the copy's lease")),
      // Its lease expires.
      Effect.catchAllCause((cause) => Effect.logWarning("a copy failed and is retried when its lease expires", cause)),
      Effect.annotateLogs({ task: held.taskId })
    )
  }
})

const linked =
  ({ part }: ArchivedFile, url: string) =>
  (result: unknown): unknown =>
    typeof result === "object" && result !== null
      ? { ...result, [part === "video" ? "videoUrl" : "lastFrameUrl"]: url }
      : result

/** From five seconds, doubling to an hour. */
const delayMs = (tries: number): number => Math.min(5_000 * 2 ** Math.min(tries, 20), 60 * 60_000)
