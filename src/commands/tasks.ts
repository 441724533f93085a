import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import type { TaskSummary } from "../admin/TaskSummary.ts"
import { readTime } from "../contract/timeQuery.ts"
import { usdText } from "../contract/text/usdText.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { account, help, json, limitOption, moment, optionalText, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { fields, listTable } from "./table.ts"

const id = Args.text({ name: "id" }).pipe(Args.withDescription("The task's id (task_…, resp_… or cgt-…)."))

const states = ["queued", "running", "succeeded", "failed", "expired", "cancelled"] as const

const callbacks = ["waiting", "delivered", "given_up", "stuck"] as const

const list = Command.make(
  "list",
  {
    account,
    state: Options.choice("state", states).pipe(
      Options.withDescription("Only tasks in this state; repeat it for several."),
      Options.repeated
    ),
    kind: Options.choice("kind", ["message", "response", "video", "batch"]).pipe(
      Options.withDescription("Only tasks of this kind."),
      Options.optional
    ),
    callback: Options.choice("callback", callbacks).pipe(
      Options.withDescription(
        "Only tasks whose callbacks are in this state; stuck: a try failed, and none has succeeded since."
      ),
      Options.optional
    ),
    model: optionalText("model", "Only this model's."),
    since: moment("since", "Created since: 7d, 24h, a UTC day or a time (7d).").pipe(Options.withDefault("7d")),
    limit: limitOption(50),
    wide,
    json
  },
  ({ account, callback, json, kind, limit, model, since, state, wide }) =>
    administer(
      Effect.gen(function* () {
        const { tasks } = yield* Operator
        const nowMs = yield* Clock.currentTimeMillis
        const records = yield* tasks.list({
          account: Option.getOrUndefined(account),
          callback: Option.getOrUndefined(callback),
          kind: Option.getOrUndefined(kind),
          model: Option.getOrUndefined(model),
          states: state.length === 0 ? undefined : state,
          sinceMs: readTime(since, nowMs) ?? 0,
          limit
        })
        yield* print(json, records, () =>
          listTable(header, records.map(row), {
            ids: ["ID"],
            rare: Option.isSome(callback) ? rareBesideCallbacks : rare,
            answers: ["CALLBACK", "ERROR"],
            wide
          })
        )
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List tasks, newest first.",
      "gateway tasks list --state queued --state running",
      "gateway tasks list --callback stuck --since 24h",
      "gateway tasks list --account team-a --since 1h --json"
    )
  )
)

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { tasks } = yield* Operator
      const task = yield* tasks.show(id)
      yield* print(json, task, () => shown(task))
    })
  )
).pipe(Command.withDescription(help("Show a task's status.", "gateway tasks show cgt-2026…")))

const cancel = Command.make("cancel", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { tasks } = yield* Operator
      const { task, words } = yield* tasks.cancel(id)
      yield* print(json, task, () => words)
    })
  )
).pipe(
  Command.withDescription(
    help(
      "Cancel a queued task. The server does it; if none is running, at its next start.",
      "gateway tasks cancel cgt-2026…"
    )
  )
)

export const tasksCommand: Group = { name: "tasks", commands: [remoteLeaf(list), remoteLeaf(show), remoteLeaf(cancel)] }

const rare = ["UPSTREAM", "ENDED", "KIND", "ACCOUNT", "CREATED", "CALLBACK"]
const rareBesideCallbacks = ["UPSTREAM", "ENDED", "KIND", "CREATED", "MODEL"]
const header = ["ID", "KIND", "ACCOUNT", "MODEL", "STATE", "UPSTREAM", "CREATED", "ENDED", "CALLBACK", "ERROR"]

const row = (task: TaskSummary) => [
  task.id,
  task.kind,
  task.account,
  task.model,
  stateOf(task),
  task.upstream ?? "",
  shortTime(task.created_at),
  shortTime(task.ended_at),
  callbackOf(task) ?? "",
  task.error?.code ?? ""
]

const stateOf = ({ progress, state }: TaskSummary) => (typeof progress === "number" ? `${state} ${progress} %` : state)

/** `stuck, next 2026-01-31 12:00`. */
const callbackOf = ({ callback_next_at: nextAt, callback_state: state, callback_stuck: isStuck }: TaskSummary) => {
  if (isStuck !== true || state !== "waiting") return state?.replace("_", " ")
  return typeof nextAt === "string" ? `stuck, next ${shortTime(nextAt)}` : "stuck, tried now"
}

const shown = (task: TaskSummary) =>
  fields({
    id: task.id,
    kind: task.kind,
    account: task.account,
    key: task.key,
    model: task.model,
    request: task.request_id ?? null,
    state: stateOf(task),
    error: task.error === null ? null : `${task.error.code}: ${task.error.message}`,
    upstream: task.upstream,
    "upstream id": task.upstream_id,
    attempts: String(task.attempts),
    tries: String(task.tries),
    held: task.held_usd === 0 ? null : usdText(task.held_usd),
    cost: task.cost_usd === 0 ? null : usdText(task.cost_usd),
    callback: task.callback_url,
    "callback state": callbackOf(task) ?? null,
    "held by": task.held_by,
    "next run": task.next_run_at,
    created: task.created_at,
    submitted: task.submitted_at,
    started: task.started_at,
    updated: task.updated_at,
    expires: task.ended_at === null ? task.expires_at : null,
    ended: task.ended_at
  })
