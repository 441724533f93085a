import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import type { DeliverySummary } from "../admin/DeliverySummary.ts"
import { readTime } from "../contract/timeQuery.ts"
import { administering } from "./administering.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { account, help, json, limitOption, moment, optionalText, print, shortTime } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { table } from "./table.ts"

const states = ["waiting", "pending", "delivered", "failed", "superseded"] as const

const list = Command.make(
  "list",
  {
    account,
    task: optionalText("task", "Only this task's."),
    state: Options.choice("state", states).pipe(Options.withDescription("Only those in this state."), Options.optional),
    since: moment("since", "Of changes since: 7d, 24h, a UTC day or a time (7d).").pipe(Options.withDefault("7d")),
    limit: limitOption(50),
    json
  },
  ({ account, json, limit, since, state, task }) =>
    administering(
      Effect.gen(function* () {
        const { deliveries } = yield* Operator
        const nowMs = yield* Clock.currentTimeMillis
        const found = yield* deliveries.list({
          account: Option.getOrUndefined(account),
          task: Option.getOrUndefined(task),
          state: Option.getOrUndefined(state),
          sinceMs: readTime(since, nowMs) ?? 0,
          limit
        })
        yield* print(json, found, () => deliveryTable(found))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List callbacks, newest change first.",
      "gateway deliveries list --state failed",
      "gateway deliveries list --task cgt-2026… --json"
    )
  )
)

const id = Args.text({ name: "id" }).pipe(Args.withDescription("The delivery's id (msg_…)."))

const redeliver = Command.make("redeliver", { id, json }, ({ id, json }) =>
  administering(
    Effect.gen(function* () {
      const { deliveries } = yield* Operator
      const delivery = yield* deliveries.redeliver(id)
      yield* print(json, delivery, () => `${id} is sent once more to ${delivery.url}.`)
    })
  )
).pipe(
  Command.withDescription(
    help("Send a callback once more, with the same id and bytes.", "gateway deliveries redeliver msg_4f…")
  )
)

export const deliveriesCommand: Group = { name: "deliveries", commands: [remoteLeaf(list), remoteLeaf(redeliver)] }

/** Callbacks, a line each, and how many there are of each state. */
export const deliveryTable = (found: ReadonlyArray<DeliverySummary>): string =>
  table(header, [...found.map(row), ...(found.length > 1 ? [sums(found)] : [])])

const header = ["ID", "TASK", "STATUS", "STATE", "TRIES", "LAST ANSWER", "CHANGED", "NEXT"]

const row = (delivery: DeliverySummary): ReadonlyArray<string> => {
  const last = delivery.attempts.at(-1)
  return [
    delivery.id,
    delivery.task,
    delivery.status,
    delivery.state,
    String(delivery.attempts.length),
    last === undefined ? "" : [last.status, last.reason].filter((part) => part !== undefined).join(" "),
    shortTime(delivery.created_at),
    shortTime(delivery.next_attempt_at)
  ]
}

const sums = (found: ReadonlyArray<DeliverySummary>): ReadonlyArray<string> => [
  `${found.length} callbacks`,
  "",
  "",
  states
    .map((state) => [found.filter((one) => one.state === state).length, state] as const)
    .flatMap(([count, state]) => (count === 0 ? [] : [`${count} ${state}`]))
    .join(", "),
  String(found.reduce((sum, { attempts }) => sum + attempts.length, 0)),
  "",
  "",
  ""
]
