import { Effect } from "effect"
import { isJsonObject } from "../contract/fields.ts"
import { numberAt } from "../contract/json/json.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"
import type { VideoFetching, VideoResult } from "../upstreams/videos/VideoUpstream.ts"

/** How long the file of a finished video is tried before its task fails. */
const triedForMs = 60 * 60_000

/**
 * The patch of a task whose video is made, while its file is fetched. What was made is stored at first, for the bill of
 * an upstream whose file never comes; after an hour, or if the file is gone, the task fails with the reason.
 */
export const whileFetching = (
  { details }: Pick<Task, "details">,
  { isGone, made, reason }: VideoFetching,
  nowMs: number,
  sound: (result: VideoResult) => Effect.Effect<VideoResult>
): Effect.Effect<TaskPatch> => {
  const known = isJsonObject(details["made"]) ? details["made"] : undefined
  const sinceMs = numberAt(known, "atMs") ?? nowMs
  const patched =
    known === undefined
      ? Effect.map(sound({ ...made, videoUrl: "" }), (result) => ({ atMs: nowMs, result }))
      : Effect.succeed(known)
  return Effect.map(patched, (stored) => ({
    state: "running",
    tries: 0,
    ...(known === undefined && { details: { ...details, made: stored } }),
    ...((isGone === true || nowMs >= sinceMs + triedForMs) && { state: "failed", error: notHad(reason) })
  }))
}

const notHad = (reason = "it did not come within an hour") => ({
  code: "ResourceNotFound",
  message: `The upstream made the video, but its file could not be fetched: ${reason}. Nothing was charged.`
})
