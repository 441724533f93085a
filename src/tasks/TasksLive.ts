import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { CancelRequestsLive } from "./CancelRequests.ts"
import { OrphanedHoldsLive } from "./OrphanedHolds.ts"
import { TaskRunnerLive } from "./TaskRunner.ts"
import { TaskSettings } from "./TaskSettings.ts"

/** Runs and cancels tasks, and releases what they no longer hold. */
export const TasksLive = Layer.mergeAll(TaskRunnerLive, CancelRequestsLive, OrphanedHoldsLive)

export const TaskSettingsLive = Layer.effect(
  TaskSettings,
  Effect.map(Settings, ({ retention }) => ({ retention: retention.tasks }))
)
