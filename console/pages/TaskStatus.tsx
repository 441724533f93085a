import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { CallbackState } from "../../src/tasks/TaskParams.ts"
import { Faint, isToCome, None, When } from "../parts/text.tsx"
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

/** The state, with the progress if its upstream tells it. */
export const TaskStatus = ({ progress, state }: Pick<TaskSummary, "progress" | "state">) => (
  <Status tone={tones[state]} code={typeof progress === "number" ? words.tasks.percent(progress) : undefined}>
    {words.tasks.states[state]}
  </Status>
)

const callbackTones: Readonly<Record<CallbackState, Tone>> = { waiting: "waiting", delivered: "well", given_up: "bad" }

/** True if a try failed and another one will come. */
export const isRetried = (task: TaskSummary): boolean =>
  task.callback_stuck === true && task.callback_state === "waiting"

/** The state of a task's callbacks, and when a stuck one is tried next. */
export const CallbackStatus = ({ task }: { readonly task: TaskSummary }) => {
  const { callback_next_at: nextAt, callback_state: state } = task
  if (state === null || state === undefined) return <None />
  if (!isRetried(task)) return <Status tone={callbackTones[state]}>{words.tasks.callbacks[state]}</Status>
  return (
    <>
      <Status tone="warn">{words.tasks.callbacks.stuck}</Status>{" "}
      <Faint>
        {typeof nextAt === "string" && isToCome(Date.parse(nextAt)) ? <When at={nextAt} /> : words.tasks.triedNow}
      </Faint>
    </>
  )
}

export const isEnded = (task: TaskSummary): boolean => task.ended_at !== null

/** From its creation to its end, or until now. */
export const tookMs = (task: TaskSummary): number =>
  Math.max(0, (task.ended_at === null ? Date.now() : Date.parse(task.ended_at)) - Date.parse(task.created_at))
