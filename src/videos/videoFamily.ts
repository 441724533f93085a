import { Effect } from "effect"
import { Ledger } from "../ledger/Ledger.ts"
import { isTerminal } from "../tasks/Task.ts"
import type { VideoFamily } from "../tasks/VideoKind.ts"
import { usedBy } from "./consumption.ts"
import { videoTask } from "./VideoTask.ts"
import { record } from "./VideoTaskRecord.ts"

/** What the engine's driver of video tasks asks its family. Only a video that was made is paid for. */
export const makeVideoFamily: Effect.Effect<VideoFamily, never, Ledger> = Effect.map(Ledger, (ledger) => ({
  record: (task) => record(videoTask(task)),
  changed: (task) =>
    isTerminal(task.state)
      ? ledger.endHold(task.id, task.state === "succeeded" ? usedBy(videoTask(task)) : undefined)
      : Effect.void
}))
