import { Fragment } from "preact"
import type { ComponentChildren } from "preact"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { clock, durationText, usd, utc } from "../format.ts"
import { Shape } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { When } from "../parts/text.tsx"
import type { TaskDelivery } from "../taskSource.ts"
import { words } from "../words/words.ts"
import { isEnded, toneOf } from "./TaskStatus.tsx"

const text = words.task

interface Moment {
  readonly at: number
  readonly tone: Tone
  readonly what: ComponentChildren
  readonly note?: ComponentChildren
}

interface TimeLineProps {
  readonly task: TaskSummary
  readonly deliveries: ReadonlyArray<TaskDelivery>
  /** The account and the key. */
  readonly who: string
}

/** The known events of a task, in order. */
const momentsOf = ({ deliveries, task, who }: TimeLineProps): ReadonlyArray<Moment> => {
  const began = Date.parse(task.created_at)
  const moments: Array<Moment> = [{ at: began, tone: "well", what: text.accepted, note: text.acceptedFor(who) }]
  for (const delivery of deliveries) {
    const last = delivery.attempts.at(-1)
    if (delivery.state !== "delivered" || last === undefined) continue
    moments.push({
      at: last.at * 1_000 + last.duration_ms,
      tone: "well",
      what: text.told(delivery.status),
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
      ...(task.error === null && task.cost_usd > 0 ? { note: text.settled(usd(task.cost_usd)) } : {}),
      ...(task.error === null ? {} : { note: <Reason of={task.error} /> })
    })
  } else {
    moments.push({
      at: Date.now(),
      tone: toneOf(task.state),
      what: text.ended(task.state),
      note:
        task.next_run_at === null ? (
          text.worked
        ) : (
          <>
            {text.nextLook("")}
            <When at={task.next_run_at} suffix="ago" />
          </>
        )
    })
  }
  return moments.sort((one, other) => one.at - other.at)
}

const Reason = ({ of: { code, message } }: { readonly of: NonNullable<TaskSummary["error"]> }) => (
  <>
    <code>{code}</code> {message}
  </>
)

export const TaskTimeLine = (props: TimeLineProps) => {
  const began = Date.parse(props.task.created_at)
  const moments = momentsOf(props)
  return (
    <section>
      <h2>{text.line}</h2>
      <div class="timeline">
        {moments.map(({ at, note, tone, what }, index) => (
          <Fragment key={index}>
            <div class="offset" title={utc(at)}>
              {index === 0 ? clock(at) : `+ ${durationText(Math.max(0, at - began))}`}
            </div>
            <div class={index === moments.length - 1 ? "mark last" : "mark"}>
              <Shape tone={tone} />
            </div>
            <div class="what">
              {what}
              {note !== undefined && <p>{note}</p>}
            </div>
          </Fragment>
        ))}
      </div>
    </section>
  )
}
