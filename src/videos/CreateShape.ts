import type { NewTask } from "../tasks/Task.ts"
import type { VideoDetails } from "./VideoTask.ts"

/** How an API answers a create. */
export interface CreateShape<A> {
  /** Absent for Ark's. */
  readonly api?: VideoDetails["api"]
  readonly answer: (id: string, task: () => NewTask) => A
}
