import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { VideoTaskRecord } from "../../src/videos/VideoTaskRecord.ts"
import type { App } from "../app.ts"
import { Refused } from "../client.ts"
import { button, copyable, fact, facts, faint, took, when } from "../components/bits.ts"
import { openDialog } from "../components/dialog.ts"
import type { Drawer } from "../components/drawer.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number, usd, utc } from "../format.ts"
import { hrefOf } from "../router.ts"
import type { TaskSource, TaskDelivery } from "../taskSource.ts"
import { isEnded, taskStatus, tookMs } from "../taskText.ts"
import { words } from "../words/words.ts"
import { deliveriesSection, undelivered } from "./deliveries.ts"
import { film } from "./film.ts"
import { timeLine } from "./taskTimeLine.ts"

const text = words.task

const figures = (task: TaskSummary, video: VideoTaskRecord | undefined): ReadonlyArray<Child> => [
  fact(text.facts.took, took(tookMs(task))),
  fact(
    text.facts.asked,
    video?.resolution === undefined
      ? task.kind
      : [
          video.duration === undefined ? "" : `${video.duration} s, `,
          video.resolution,
          video.ratio === undefined ? "" : `, ${video.ratio}`
        ]
  ),
  fact(
    text.facts.used,
    video?.usage === undefined
      ? faint(text.noneYet)
      : h("span", { class: "num" }, number(video.usage.completion_tokens), h("span", { class: "unit" }, text.tokens))
  ),
  fact(
    text.facts.cost,
    task.held_usd > 0
      ? text.held(usd(task.held_usd, 5))
      : task.cost_usd > 0
        ? usd(task.cost_usd, 9)
        : isEnded(task)
          ? faint(text.free)
          : faint(text.noneYet)
  )
]

/** One task: actions, errors, file, history and callbacks. */
export const taskDrawer = (
  app: App,
  drawer: Drawer,
  source: TaskSource,
  keyName: (id: string) => string,
  changed: () => Promise<void>
) => {
  let wanted = ""
  let again: ReturnType<typeof setTimeout> | undefined
  let seen: TaskSummary | undefined
  let played: { readonly id: string; readonly element: Child } | undefined

  const cancel = (task: TaskSummary) =>
    openDialog({
      title: text.cancelTitle,
      safe: words.dialog.keep,
      body: [h("p", {}, h("code", {}, task.id)), h("p", {}, text.cancelText)],
      act: {
        word: text.cancel,
        isDangerous: true,
        run: async () => {
          await source.cancel(task)
          app.toast(text.cancelled)
          await changed()
          await load(task.id)
        }
      }
    })
  const redeliver = async (task: TaskSummary, delivery: TaskDelivery) => {
    try {
      await source.redeliver(task, delivery.id)
      app.toast(text.sent)
    } catch (error) {
      app.toast(error instanceof Refused ? error.message : words.failed.unknown)
    }
    await load(task.id)
  }

  const draw = (task: TaskSummary, video: VideoTaskRecord | undefined, deliveries: ReadonlyArray<TaskDelivery>) => {
    if (video?.content !== undefined && played?.id !== task.id) played = { id: task.id, element: film(app, video) }
    const shown = played?.id === task.id ? played.element : null
    const missed = undelivered(deliveries)
    const who = `${task.account} / ${keyName(task.key)}`
    drawer.show(
      task.id,
      [taskStatus(task.state), h("span", {}, task.model)],
      h(
        "section",
        {},
        h(
          "div",
          { class: "actions" },
          task.state === "queued" && button(text.cancel, () => cancel(task), { look: "danger" }),
          h(
            "a",
            {
              class: "button",
              href: hrefOf("playground", undefined, {
                task: task.id,
                model: task.model,
                family: task.kind === "video" ? "videos" : "messages"
              })
            },
            text.repeat
          ),
          button(words.copy.link, () => app.copy(location.origin + hrefOf("tasks", task.id)))
        )
      ),
      missed !== undefined &&
        h(
          "section",
          {},
          h(
            "p",
            { class: "note bad" },
            h("b", {}, text.undelivered(missed.status)),
            " ",
            text.lastTry(
              missed.attempts.length,
              missed.attempts.at(-1)?.reason ?? String(missed.attempts.at(-1)?.status ?? text.noAnswer)
            ),
            " ",
            button(text.redeliver, () => void redeliver(task, missed), { look: "small" })
          )
        ),
      task.error !== null &&
        h("section", {}, h("p", { class: "note bad" }, h("b", {}, task.error.code), " ", task.error.message)),
      h(
        "section",
        {},
        shown === null
          ? facts(true, ...figures(task, video))
          : h("div", { class: "film" }, h("div", {}, shown), facts(false, ...figures(task, video)))
      ),
      h(
        "section",
        {},
        facts(
          false,
          fact(text.facts.task, copyable(app, task.id), true),
          fact(
            text.facts.upstream,
            task.upstream_id === null ? faint(text.notYet) : copyable(app, task.upstream_id),
            true
          ),
          fact(text.facts.created, utc(Date.parse(task.created_at)), true),
          fact(
            text.facts.key,
            app.session.kind === "operator"
              ? [task.account, " / ", h("a", { href: hrefOf("keys", task.key) }, keyName(task.key))]
              : who,
            true
          ),
          task.next_run_at !== null && fact(text.facts.next, when(app, task.next_run_at, "ago"), true),
          task.tries > 0 && fact(text.facts.tries, number(task.tries), true)
        )
      ),
      h("section", {}, h("h2", {}, text.line), timeLine(app, task, deliveries, who)),
      h(
        "section",
        {},
        deliveriesSection(task, deliveries, (delivery) => redeliver(task, delivery))
      )
    )
  }

  const load = async (id: string, known?: TaskSummary): Promise<void> => {
    clearTimeout(again)
    try {
      const task = known ?? (await source.find(id))
      const [video, deliveries] = await Promise.all([source.video(task), source.deliveries(task)])
      if (wanted !== id) return
      if (seen?.id === id && seen.state !== task.state) void changed()
      seen = task
      draw(task, video, deliveries)
      const isMoving = !isEnded(task) || deliveries.some(({ state }) => state === "pending" || state === "waiting")
      if (isMoving) again = setTimeout(() => wanted === id && drawer.shown() === id && void load(id), 1_000)
    } catch (error) {
      if (wanted !== id) return
      const message = error instanceof Refused && error.status !== 404 ? error.message : text.gone
      drawer.show(id, h("span", {}, id), h("section", {}, h("p", { class: "note" }, message)))
    }
  }
  return {
    show(id: string, known: TaskSummary | undefined) {
      wanted = id
      return load(id, known)
    },
    /** Later results are ignored. */
    close() {
      wanted = ""
      clearTimeout(again)
      drawer.hide()
    }
  }
}
