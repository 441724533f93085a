import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { CallbackState } from "../../src/tasks/TaskParams.ts"
import { None } from "../parts/text.tsx"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { words } from "../words/words.ts"

const tones: Readonly<Record<TaskSummary["state"], Tone>> = {
  queued: "waiting",
  running: "running",
  succeeded: "well",
  failed: "bad",
  cancelled: "off",
  expired: "warn"
}

export const toneOf = (state: TaskSummary["state"]): Tone => tones[state]

export const TaskStatus = ({ state }: Pick<TaskSummary, "state">) => (
  <Status tone={tones[state]}>{words.tasks.states[state]}</Status>
)

const callbackTones: Readonly<Record<CallbackState, Tone>> = { waiting: "waiting", delivered: "well", given_up: "bad" }

/** The state of a task's callbacks. */
export const CallbackStatus = ({ task: { callback_state: state } }: { readonly task: TaskSummary }) =>
  state === null || state === undefined ? (
    <None />
  ) : (
    <Status tone={callbackTones[state]}>{words.tasks.callbacks[state]}</Status>
  )

export const isEnded = (task: TaskSummary): boolean => task.ended_at !== null

/** From its creation to its end, or until now. */
export const tookMs = (task: TaskSummary): number =>
  Math.max(0, (task.ended_at === null ? Date.now() : Date.parse(task.ended_at)) - Date.parse(task.created_at))
