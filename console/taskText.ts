import type { TaskSummary } from "../src/admin/TaskSummary.ts"
import type { CallbackState } from "../src/tasks/TaskParams.ts"
import { status } from "./components/status.ts"
import type { Tone } from "./components/status.ts"
import { words } from "./words/words.ts"

const tones: Readonly<Record<TaskSummary["state"], Tone>> = {
  queued: "waiting",
  running: "running",
  succeeded: "well",
  failed: "bad",
  cancelled: "off",
  expired: "warn"
}

export const toneOf = (state: TaskSummary["state"]): Tone => tones[state]

export const taskStatus = (state: TaskSummary["state"]): HTMLElement => status(tones[state], words.tasks.states[state])

const callbackTones: Readonly<Record<CallbackState, Tone>> = { waiting: "waiting", delivered: "well", given_up: "bad" }

/** Undefined for a task without callbacks. */
export const callbackStatus = ({ callback_state: state }: TaskSummary): HTMLElement | undefined =>
  state === null || state === undefined ? undefined : status(callbackTones[state], words.tasks.callbacks[state])

export const isEnded = (task: TaskSummary): boolean => task.ended_at !== null

/** From its creation to its end, or until now. */
export const tookMs = (task: TaskSummary): number =>
  Math.max(0, (task.ended_at === null ? Date.now() : Date.parse(task.ended_at)) - Date.parse(task.created_at))
