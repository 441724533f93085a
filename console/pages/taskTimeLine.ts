import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { App } from "../app.ts"
import { when } from "../components/bits.ts"
import { shape } from "../components/status.ts"
import type { Tone } from "../components/status.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { clock, durationText, usd, utc } from "../format.ts"
import { isEnded, toneOf } from "../taskText.ts"
import type { TaskDelivery } from "../taskSource.ts"
import { words } from "../words/words.ts"

const text = words.task

interface Moment {
  readonly at: number
  readonly tone: Tone
  readonly what: Child
  readonly note?: Child
}

/** The known events of a task, in order. */
const momentsOf = (
  app: App,
  task: TaskSummary,
  deliveries: ReadonlyArray<TaskDelivery>,
  who: string
): ReadonlyArray<Moment> => {
  const began = Date.parse(task.created_at)
  const moments: Array<Moment> = [{ at: began, tone: "well", what: text.accepted, note: text.acceptedFor(who) }]
  for (const delivery of deliveries) {
    const last = delivery.attempts.at(-1)
    if (delivery.state !== "delivered" || last === undefined) continue
    moments.push({
      at: last.at * 1_000 + last.duration_ms,
      tone: "well",
      what: [text.told(delivery.status)],
      note: text.delivered(durationText(last.duration_ms))
    })
  }
  const [submitted, started] = [task.submitted_at, task.started_at].map((time) =>
    time === null ? undefined : Date.parse(time)
  )
  if (submitted !== undefined && task.upstream !== null) {
    moments.push({
      at: submitted,
      tone: "well",
      what: text.submitted(task.upstream),
      ...(task.upstream_id === null ? {} : { note: text.submittedAs(task.upstream_id) })
    })
  }
  if (started !== undefined && (isEnded(task) || started < Date.now())) {
    moments.push({
      at: started,
      tone: isEnded(task) ? "well" : "running",
      // A task without an upstream submit runs once it is claimed.
      what: submitted === undefined ? text.claimed : text.started,
      ...(submitted === undefined && task.upstream !== null ? { note: text.submitted(task.upstream) } : {})
    })
  }
  if (task.ended_at !== null) {
    moments.push({
      at: Date.parse(task.ended_at),
      tone: toneOf(task.state),
      what: text.ended(task.state),
      ...(task.error === null && task.cost_usd > 0 ? { note: text.settled(usd(task.cost_usd, 5)) } : {}),
      ...(task.error === null ? {} : { note: [h("code", {}, task.error.code), " ", task.error.message] })
    })
  } else {
    moments.push({
      at: Date.now(),
      tone: toneOf(task.state),
      what: text.ended(task.state),
      note: task.next_run_at === null ? text.worked : [text.nextLook(""), when(app, task.next_run_at, "ago")]
    })
  }
  return moments.sort((one, other) => one.at - other.at)
}

export const timeLine = (
  app: App,
  task: TaskSummary,
  deliveries: ReadonlyArray<TaskDelivery>,
  who: string
): HTMLElement => {
  const began = Date.parse(task.created_at)
  const moments = momentsOf(app, task, deliveries, who)
  return h(
    "div",
    { class: "timeline" },
    moments.map(({ at, note, tone, what }, index) => [
      h(
        "div",
        { class: "offset", title: utc(at) },
        index === 0 ? clock(at) : `+ ${durationText(Math.max(0, at - began))}`
      ),
      h("div", { class: index === moments.length - 1 ? "mark last" : "mark" }, shape(tone)),
      h("div", { class: "what" }, what, note !== undefined && h("p", {}, note))
    ])
  )
}
