import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { VideoTaskRecord } from "../../src/videos/VideoTaskRecord.ts"
import { isNotFound, Refused } from "../client.ts"
import { number, usd, utc } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { Copyable, Cost, Fact, Facts, Faint, Took, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import type { TaskDelivery, TaskSource } from "../taskSource.ts"
import { PageLink } from "../parts/PageLink.tsx"
import { words } from "../words/words.ts"
import { Deliveries, lastUndelivered } from "./Deliveries.tsx"
import { Film } from "./Film.tsx"
import { isEnded, TaskStatus, tookMs } from "./TaskStatus.tsx"
import { TaskTimeLine } from "./TaskTimeLine.tsx"

const text = words.task

/** A task with what belongs to it. */
interface Loaded {
  readonly task: TaskSummary
  readonly video: VideoTaskRecord | undefined
  readonly deliveries: ReadonlyArray<TaskDelivery>
}

const askedFor = ({ task, video }: Loaded): string =>
  video?.resolution === undefined
    ? task.kind
    : [
        ...(video.duration === undefined ? [] : [`${video.duration} s`]),
        video.resolution,
        ...(video.ratio === undefined ? [] : [video.ratio])
      ].join(", ")

const TaskCost = ({ task }: { readonly task: TaskSummary }) => {
  if (task.held_usd > 0) return <>{text.held(usd(task.held_usd, 5))}</>
  if (task.cost_usd > 0 || isEnded(task)) return <Cost of={task.cost_usd} />
  return <Faint>{text.noneYet}</Faint>
}

const Figures = ({ isBig, of }: { readonly of: Loaded; readonly isBig: boolean }) => (
  <Facts isBig={isBig}>
    <Fact name={text.facts.took}>
      <Took ms={tookMs(of.task)} />
    </Fact>
    <Fact name={text.facts.asked}>{askedFor(of)}</Fact>
    <Fact name={text.facts.used}>
      {of.video?.usage === undefined ? (
        <Faint>{text.noneYet}</Faint>
      ) : (
        <span class="num">
          {number(of.video.usage.completion_tokens)}
          <span class="unit">{text.tokens}</span>
        </span>
      )}
    </Fact>
    <Fact name={text.facts.cost}>
      <TaskCost task={of.task} />
    </Fact>
  </Facts>
)

const Details = ({ keyName, task }: { readonly task: TaskSummary; readonly keyName: (id: string) => string }) => {
  const { session } = useApp()
  return (
    <section>
      <Facts>
        <Fact name={text.facts.task} isWide>
          <Copyable text={task.id} />
        </Fact>
        {typeof task.request_id === "string" && (
          <Fact name={text.facts.request} isWide>
            <a href={hrefOf("requests", task.request_id)}>
              <code>{task.request_id}</code>
            </a>
          </Fact>
        )}
        <Fact name={text.facts.upstream} isWide>
          {task.upstream_id === null ? <Faint>{text.notYet}</Faint> : <Copyable text={task.upstream_id} />}
        </Fact>
        <Fact name={text.facts.created} isWide>
          {utc(Date.parse(task.created_at))}
        </Fact>
        <Fact name={text.facts.key} isWide>
          {task.account} /{" "}
          {session.kind === "operator" ? <a href={hrefOf("keys", task.key)}>{keyName(task.key)}</a> : keyName(task.key)}
        </Fact>
        {task.next_run_at !== null && (
          <Fact name={text.facts.next} isWide>
            <When at={task.next_run_at} suffix="ago" />
          </Fact>
        )}
        {task.tries > 0 && (
          <Fact name={text.facts.tries} isWide>
            {number(task.tries)}
          </Fact>
        )}
      </Facts>
    </section>
  )
}

/** The last change, whose callback failed for good. */
const Undelivered = ({ children, of }: { readonly of: TaskDelivery; readonly children: ComponentChildren }) => {
  const last = of.attempts.at(-1)
  return (
    <section>
      <p class="note bad">
        <b>{text.undelivered(of.status)}</b>{" "}
        {text.lastTry(of.attempts.length, last?.reason ?? String(last?.status ?? text.noAnswer))} {children}
      </p>
    </section>
  )
}

interface TaskDrawerProps {
  readonly id: string
  /** The list's row of it, if the list has one. */
  readonly known: TaskSummary | undefined
  readonly source: TaskSource
  readonly keyName: (id: string) => string
  /** Its state has changed. */
  readonly changed: () => void
  readonly close: () => void
  readonly step: (by: 1 | -1) => void
}

/** One task: actions, errors, file, history and callbacks. Another one takes its place once it is loaded. */
export const TaskDrawer = ({ changed, close, id, keyName, known, source, step }: TaskDrawerProps) => {
  const app = useApp()
  const isAsked = useSignal(false)
  const begun = useRef<string | undefined>(undefined)
  const data = useData(
    async (): Promise<Loaded> => {
      const task = (begun.current === id ? undefined : known) ?? (await source.find(id))
      begun.current = id
      const [video, deliveries] = await Promise.all([source.video(task), source.deliveries(task)])
      return { task, video, deliveries }
    },
    { by: [id] }
  )
  const { failure } = data
  const last = useRef<Loaded | undefined>(undefined)
  const before = last.current?.task
  useEffect(() => {
    if (data.value === undefined) return
    const { task } = data.value
    last.current = data.value
    if (before?.id === task.id && before.state !== task.state) changed()
    if (!isMoving(data.value)) return
    const timer = setTimeout(() => void data.again(), 1_000)
    return () => clearTimeout(timer)
  }, [data.value])
  const film = useRef<{ readonly id: string; readonly url: string } | undefined>(undefined)

  const value = data.value ?? (failure === undefined ? last.current : undefined)
  if (value === undefined) {
    if (failure === undefined) return null
    const { error } = failure
    return (
      <Drawer id={id} title={<span>{id}</span>} close={close} step={step}>
        <section>
          <p class="note">{error instanceof Refused && !isNotFound(error) ? error.message : text.gone}</p>
        </section>
      </Drawer>
    )
  }
  const { deliveries, task, video } = value
  const url = video?.content?.video_url
  // A link that is signed anew would begin the film again.
  if (url !== undefined && film.current?.id !== task.id) film.current = { id: task.id, url }
  const played = film.current?.id === task.id ? film.current.url : undefined
  const missed = lastUndelivered(deliveries)
  const redeliver = async (delivery: TaskDelivery) => {
    try {
      await source.redeliver(task, delivery.id)
      app.toast(text.sent)
    } catch (error) {
      app.toast(error instanceof Refused ? error.message : words.failed.unknown)
    }
    await data.again()
  }
  return (
    <Drawer
      id={task.id}
      title={
        <>
          <TaskStatus {...task} />
          <span>{task.model}</span>
        </>
      }
      close={close}
      step={step}
    >
      <section>
        <div class="actions">
          {task.state === "queued" && (
            <Button look="danger" needs="adminOperations.cancelTask" onClick={() => (isAsked.value = true)}>
              {text.cancel}
            </Button>
          )}
          <PageLink isButton page="playground" query={repeatOf(task)}>
            {text.repeat}
          </PageLink>
          <Button onClick={() => app.copy(location.origin + hrefOf("tasks", task.id))}>{words.copy.link}</Button>
        </div>
      </section>
      {missed !== undefined && (
        <Undelivered of={missed}>
          <Button look="small" needs="adminOperations.redeliver" onClick={() => void redeliver(missed)}>
            {text.redeliver}
          </Button>
        </Undelivered>
      )}
      {task.error !== null && (
        <section>
          <p class="note bad">
            <b>{task.error.code}</b> {task.error.message}
          </p>
        </section>
      )}
      <section>
        {played === undefined ? (
          <Figures of={value} isBig />
        ) : (
          <div class="film">
            <div>
              <Film key={task.id} url={played} />
            </div>
            <Figures of={value} isBig={false} />
          </div>
        )}
      </section>
      <Details task={task} keyName={keyName} />
      <TaskTimeLine task={task} deliveries={deliveries} who={`${task.account} / ${keyName(task.key)}`} />
      <Deliveries task={task} deliveries={deliveries} redeliver={redeliver} />
      {isAsked.value && (
        <Dialog
          title={text.cancelTitle}
          safe={words.dialog.keep}
          close={() => (isAsked.value = false)}
          act={{
            word: text.cancel,
            isDangerous: true,
            run: async () => {
              await source.cancel(task)
              app.toast(text.cancelled)
              changed()
              await data.again()
            }
          }}
        >
          <p>
            <code>{task.id}</code>
          </p>
          <p>{text.cancelText}</p>
        </Dialog>
      )}
    </Drawer>
  )
}

const isMoving = ({ deliveries, task }: Loaded): boolean =>
  !isEnded(task) || deliveries.some(({ state }) => state === "pending" || state === "waiting")

const repeatOf = ({ id, kind, model }: TaskSummary) => ({
  task: id,
  model,
  family: kind === "video" ? "videos" : "messages"
})
