import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { button, faint, smallTable } from "../components/bits.ts"
import { status } from "../components/status.ts"
import type { Tone } from "../components/status.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { durationText, span } from "../format.ts"
import type { TaskDelivery } from "../taskSource.ts"
import { words } from "../words/words.ts"

const text = words.task

const tones: Readonly<Record<TaskDelivery["state"], Tone>> = {
  waiting: "waiting",
  pending: "waiting",
  delivered: "well",
  failed: "bad",
  superseded: "off"
}

/** The last change whose delivery failed for good; undefined if all were delivered or still may be. */
export const undelivered = (deliveries: ReadonlyArray<TaskDelivery>): TaskDelivery | undefined => {
  const last = deliveries.at(-1)
  return last?.state === "failed" ? last : undefined
}

const triesOf = ({ attempts, createdAt, nextAt, state }: TaskDelivery): Child => [
  h(
    "ol",
    { class: "tries" },
    attempts.map((attempt) => {
      const isGood = attempt.status !== undefined && attempt.status < 300
      const offset = attempt.at * 1_000 - createdAt
      return h(
        "li",
        {},
        h(
          "span",
          { class: isGood ? "" : "status bad" },
          attempt.status === undefined ? text.noAnswer : String(attempt.status)
        ),
        faint(
          ` ${durationText(attempt.duration_ms)}`,
          offset >= 1_000 ? ` · + ${span(offset)}` : "",
          attempt.reason === undefined ? "" : ` · ${attempt.reason}`
        )
      )
    })
  ),
  state === "pending" &&
    nextAt !== undefined &&
    nextAt > Date.now() &&
    h("span", { class: "hint" }, text.nextTry(words.times.in(span(nextAt - Date.now())))),
  state === "failed" && h("span", { class: "hint" }, text.givenUp),
  state === "superseded" && h("span", { class: "hint" }, text.laterOne)
]

/** One row per change, with every attempt, newest change first. */
export const deliveriesSection = (
  task: TaskSummary,
  deliveries: ReadonlyArray<TaskDelivery>,
  redeliver: (delivery: TaskDelivery) => Promise<void>
): Child => {
  const head = h(
    "div",
    { class: "caption" },
    h("h2", {}, text.deliveries),
    task.callback_url !== null && h("code", { class: "quiet cut" }, task.callback_url)
  )
  if (task.callback_url === null) return [head, h("p", { class: "hint" }, text.noCallback)]
  return [
    head,
    smallTable(
      [["", "", 96], ["", "", 116], [""], ["", "right", 100]],
      [...deliveries].reverse().map((delivery) => {
        const again = button(
          text.redeliver,
          () => {
            again.disabled = true
            again.textContent = text.sending
            void redeliver(delivery)
          },
          { look: "small" }
        )
        return [delivery.status, status(tones[delivery.state], text.states[delivery.state]), triesOf(delivery), again]
      }),
      { isPlain: true, label: text.deliveries }
    )
  ]
}
