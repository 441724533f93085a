import type { VideoFamily } from "../tasks/VideoKind.ts"
import { videoTask } from "./VideoTask.ts"
import { record } from "./VideoTaskRecord.ts"

/** What the engine's driver of video tasks asks its family. */
export const videoFamily: VideoFamily = { record: (task) => record(videoTask(task)) }
