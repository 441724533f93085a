import { Effect } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import { objectAt } from "../contract/json/json.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import { isTerminal } from "../tasks/Task.ts"
import type { Task } from "../tasks/Task.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { VideoResult } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoFamily } from "./VideoKind.ts"
import { usedBy } from "./consumption.ts"
import { Custody } from "./custody/Custody.ts"
import { soundResult } from "./soundResult.ts"
import { openAIVideo } from "./openai/OpenAIVideo.ts"
import { videoTask } from "./VideoTask.ts"
import type { VideoTask } from "./VideoTask.ts"
import { record } from "./VideoTaskRecord.ts"

/** A task's record in the API that made it. */
const recordOf = (task: VideoTask): JsonObject => (task.details.api === "openai" ? openAIVideo(task) : record(task))

/** The video family's part of the engine. Only a finished video is charged; one that can't be had costs the operator. */
export const makeVideoFamily: Effect.Effect<VideoFamily, never, Ledger | Custody> = Effect.gen(function* () {
  const ledger = yield* Ledger
  const custody = yield* Custody
  const metrics = yield* Metrics

  const doubted = ({ id, model, upstream }: Task, { duration, frames, usage }: VideoResult) => {
    metrics.usageDoubted.of(upstream ?? "", "output").add(1)
    const line = { event: "usage.doubted", task: id, model, upstream, duration, frames }
    return Effect.logWarning("an upstream reported impossible usage; the gateway counts it instead").pipe(
      Effect.annotateLogs({ ...line, usage: JSON.stringify(usage) })
    )
  }

  return {
    record: (task) => recordOf(videoTask(task)),
    event: ({ state }) =>
      isTerminal(state) ? (state === "succeeded" ? "video.completed" : "video.failed") : undefined,
    changed: (task) =>
      isTerminal(task.state)
        ? orStoreFailure(Effect.zipLeft(ledger.endHold(task.id, usedBy(videoTask(task))), custody.record(task)))
        : Effect.succeed(0),
    // Promoting a draft repeats its request.
    keepsRequest: ({ details }) => objectAt(details, "settings")?.["draft"] === true,
    sound: (task, reported) => {
      const { isDoubted, result } = soundResult(videoTask(task).details.settings, reported)
      return isDoubted ? Effect.as(doubted(task, reported), result) : Effect.succeed(result)
    }
  }
})
