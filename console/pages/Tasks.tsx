import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks"
import { gatewayUrl } from "../address.ts"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { clearFilters, filterText } from "../filterText.ts"
import { durationText, number } from "../format.ts"
import { matches } from "../../src/contract/text/matches.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { usePages } from "../hooks/usePages.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { FilterBar } from "../parts/FilterBar.tsx"
import { LiveButton } from "../parts/LiveButton.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, NoMatch, Part } from "../parts/states.tsx"
import type { Column } from "../parts/Table.tsx"
import { Cost, Faint, None, PageHead, Quiet, Took, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { firstVideo } from "../snippets.ts"
import { filterNames, taskSource } from "../taskSource.ts"
import { words } from "../words/words.ts"
import { TaskDrawer } from "./TaskDrawer.tsx"
import { CallbackStatus, isEnded, isRetried, TaskStatus, tookMs } from "./TaskStatus.tsx"

const text = words.tasks

/** A second line, which phones show. */
const Second = ({ children }: { readonly children: ComponentChildren }) => <span class="second">{children}</span>

/** The time that a task took, or takes until now. */
const TaskTook = ({ task }: { readonly task: TaskSummary }) => {
  const [, draw] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => {
    if (isEnded(task)) return
    const ticking = setInterval(() => draw(undefined), 5_000)
    return () => clearInterval(ticking)
  }, [task])
  const ms = tookMs(task)
  return (
    <>
      <span class={isEnded(task) ? "" : "quiet"}>
        <Took ms={ms} />
      </span>
      <Second>{durationText(ms).includes(":") ? "" : (task.upstream ?? "")}</Second>
    </>
  )
}

const TaskCost = ({ task }: { readonly task: TaskSummary }) => {
  if (task.held_usd > 0) return <Faint>{text.held(number(task.held_usd, 2))}</Faint>
  return <Cost of={isEnded(task) || task.cost_usd > 0 ? task.cost_usd : null} decimals={5} />
}

const columnsOf = (hasClockTimes: boolean, keyName: (id: string) => string): ReadonlyArray<Column<TaskSummary>> => [
  {
    head: hasClockTimes ? text.columns.utc : text.columns.age,
    width: hasClockTimes ? 94 : 90,
    look: "no-phone quiet",
    cell: (task) => <When at={task.created_at} />
  },
  {
    head: text.columns.state,
    width: 116,
    look: "outcome",
    cell: (task) => (
      <>
        <TaskStatus {...task} />
        <Second>
          <When at={task.created_at} suffix="ago" />
        </Second>
      </>
    )
  },
  {
    head: text.columns.model,
    cell: (task) => (
      <>
        {task.model} <span class="faint no-phone">{task.kind}</span>
        <Second>
          {task.kind}
          {task.callback_stuck === true && (
            <>
              {" · "}
              {text.secondCallback(isRetried(task) ? text.callbacks.stuck : text.callbacks.given_up)}
            </>
          )}
        </Second>
      </>
    )
  },
  {
    head: text.columns.task,
    width: 280,
    look: "no-phone no-slim quiet",
    cell: (task) => <code title={task.id}>{task.id}</code>
  },
  {
    head: text.columns.key,
    width: 160,
    look: "no-phone no-narrow",
    cell: (task) => (
      <>
        <Quiet>{task.account}</Quiet>
        <Faint> / </Faint>
        {keyName(task.key)}
      </>
    )
  },
  { head: text.columns.upstream, width: 90, look: "no-phone no-mid", cell: (task) => task.upstream ?? <None /> },
  { head: text.columns.took, width: 84, look: "right last-phone", cell: (task) => <TaskTook task={task} /> },
  { head: text.columns.cost, width: 84, look: "right no-phone no-narrow", cell: (task) => <TaskCost task={task} /> },
  { head: text.columns.callbacks, width: 148, look: "no-phone", cell: (task) => <CallbackStatus task={task} /> }
]

/** True if a task has every word of a search: `model:…`, `state:…`, or part of a visible text. */
const hasWords = (task: TaskSummary, search: string, keyName: (id: string) => string): boolean => {
  const of = new Map([
    ["model", task.model],
    ["state", task.state],
    ["upstream", task.upstream ?? ""],
    ["account", task.account],
    ["id", task.id]
  ])
  return search.split(/\s/).every((word) => {
    const value = of.get(word.slice(0, word.indexOf(":")))
    if (value !== undefined) return matches(word.slice(word.indexOf(":") + 1), value)
    return [task.id, task.model, task.account, keyName(task.key), task.upstream_id ?? ""].some((part) =>
      part.includes(word)
    )
  })
}

/** Filters by what the list itself knows. */
const Filters = () => {
  const { catalogue, session } = useApp()
  const accounts = useData(() => catalogue.accounts(), { on: ["account"] }).value ?? []
  return (
    <FilterBar
      label={text.search}
      example={text.example}
      choices={[
        { name: "state", any: text.anyState, values: Object.keys(text.states) },
        { name: "kind", any: text.anyKind, values: Object.keys(text.kinds) },
        { name: "callback", any: text.anyCallback, values: Object.entries(text.chosenCallbacks) },
        ...(session.kind === "operator"
          ? [{ name: "account", any: text.anyAccount, values: accounts.map(({ id }) => id) }]
          : [])
      ]}
    />
  )
}

const NoTasks = () => {
  const app = useApp()
  const filter = filterText(app.route().query, filterNames)
  if (filter === "") {
    return (
      <Empty title={text.emptyTitle} snippets={firstVideo(gatewayUrl)}>
        {text.empty}
      </Empty>
    )
  }
  return <NoMatch said={text.noMatch(filter)} clear={() => clearFilters(app)} />
}

/** The list of tasks, with a drawer for the history of one. */
export const Tasks = () => {
  const app = useApp()
  const { id, query } = app.route()
  const source = useMemo(() => taskSource(app), [])
  const isLive = useSignal(false)
  const handle = useRef<RowsHandle>(null)
  const keys = useData(() => app.catalogue.keys(), { on: ["key"] }).value
  const keyName = useMemo(() => {
    const names = new Map((keys ?? []).map(({ id, name }) => [id, name]))
    return (id: string) => names.get(id) ?? id
  }, [keys])
  const hasClockTimes = app.clockTimes()
  const columns = useMemo(() => columnsOf(hasClockTimes, keyName), [hasClockTimes, keyName])
  const asked = filterNames.map((name) => query.get(name) ?? "")
  const tasks = usePages((after) => source.list(query, after), { by: asked })
  const again = useRef(tasks.again)
  again.current = tasks.again
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined
    const stop = app.live.onChange(({ ids, what }) => {
      const { id } = app.route()
      const isOpened = id !== undefined && ids.includes(id)
      if ((what !== "task" && what !== "delivery") || (!isLive.value && !isOpened)) return
      waiting ??= setTimeout(() => {
        waiting = undefined
        void again.current()
      }, 400)
    })
    return () => {
      stop()
      clearTimeout(waiting)
    }
  }, [])
  useEffect(() => {
    if (isLive.value) void again.current()
  }, [isLive.value])

  const close = () => {
    app.go(hrefOf("tasks", undefined, app.route().query))
    if (id !== undefined) handle.current?.focus(id)
  }
  const open = (task: TaskSummary) => app.go(hrefOf("tasks", task.id, query), id === undefined ? "push" : "replace")
  const step = (by: 1 | -1) => handle.current?.step(by)
  useShortcuts({ leave: close, step, toggleLive: () => (isLive.value = !isLive.value) })

  const rows = tasks.value?.rows
  const count = (state: string) => number((rows ?? []).filter((task) => task.state === state).length)
  const search = (query.get("q") ?? "").trim()
  const shown = useMemo(
    () => (search === "" ? rows : rows?.filter((task) => hasWords(task, search, keyName))) ?? [],
    [rows, search, keyName]
  )
  return (
    <>
      <PageHead title={words.pages.tasks} note={rows && text.counted(count("running"), count("queued"))}>
        <LiveButton isOn={isLive} />
      </PageHead>
      <Filters />
      <div class="page">
        <Part of={tasks} what={words.pages.tasks}>
          {({ hasMore }) =>
            shown.length === 0 ? (
              <NoTasks />
            ) : (
              <div class="bleed">
                <Rows
                  label={words.pages.tasks}
                  rows={shown}
                  columns={columns}
                  keyOf={keyOf}
                  open={open}
                  selected={id}
                  nearEnd={hasMore ? () => void tasks.more() : undefined}
                  handle={handle}
                />
              </div>
            )
          }
        </Part>
      </div>
      {id !== undefined && (
        <TaskDrawer
          id={id}
          known={rows?.find((task) => task.id === id)}
          source={source}
          keyName={keyName}
          changed={() => void again.current()}
          close={close}
          step={step}
        />
      )}
    </>
  )
}

const keyOf = ({ id }: TaskSummary) => id
