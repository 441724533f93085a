import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import type { DeliverySummary } from "../admin/DeliverySummary.ts"
import { readTime } from "../contract/timeQuery.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { account, help, json, limitOption, moment, optionalText, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"

const states = ["waiting", "pending", "delivered", "failed", "superseded"] as const

const list = Command.make(
  "list",
  {
    account,
    task: optionalText("task", "Only this task's."),
    state: Options.choice("state", [...states, "stuck"]).pipe(
      Options.withDescription("Only those in this state; stuck: a try failed, and none has succeeded since."),
      Options.optional
    ),
    since: moment("since", "Changed since: 7d, 24h, a UTC day or a time (7d).").pipe(Options.withDefault("7d")),
    limit: limitOption(50),
    wide,
    json
  },
  ({ account, json, limit, since, state, task, wide }) =>
    administer(
      Effect.gen(function* () {
        const { deliveries } = yield* Operator
        const nowMs = yield* Clock.currentTimeMillis
        const deliveryRows = yield* deliveries.list({
          account: Option.getOrUndefined(account),
          task: Option.getOrUndefined(task),
          state: Option.getOrUndefined(state),
          sinceMs: readTime(since, nowMs) ?? 0,
          limit
        })
        yield* print(json, deliveryRows, () => deliveryTable(deliveryRows, wide))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List callbacks, newest change first.",
      "gateway deliveries list --state stuck",
      "gateway deliveries list --task cgt-2026… --json"
    )
  )
)

const id = Args.text({ name: "id" }).pipe(Args.withDescription("The delivery's id (msg_…)."))

const redeliver = Command.make("redeliver", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { deliveries } = yield* Operator
      const delivery = yield* deliveries.redeliver(id)
      yield* print(json, delivery, () => `${id} is sent again to ${delivery.url}.`)
    })
  )
).pipe(
  Command.withDescription(
    help("Send a callback again, with the same id and bytes.", "gateway deliveries redeliver msg_4f…")
  )
)

export const deliveriesCommand: Group = { name: "deliveries", commands: [remoteLeaf(list), remoteLeaf(redeliver)] }

/** A table of callbacks with a row of counts by state. */
export const deliveryTable = (deliveryRows: ReadonlyArray<DeliverySummary>, wide = false): string =>
  listTable(header, [...deliveryRows.map(row), ...(deliveryRows.length > 1 ? [sums(deliveryRows)] : [])], {
    ids: ["ID", "TASK"],
    rare,
    answers: ["STATE", "LAST ANSWER"],
    wide
  })

const rare = ["CHANGED", "STATUS", "NEXT"]
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

const sums = (deliveryRows: ReadonlyArray<DeliverySummary>): ReadonlyArray<string> => [
  `${deliveryRows.length} callbacks`,
  "",
  "",
  states
    .map((state) => [deliveryRows.filter((one) => one.state === state).length, state] as const)
    .flatMap(([count, state]) => (count === 0 ? [] : [`${count} ${state}`]))
    .join(", "),
  String(deliveryRows.reduce((sum, { attempts }) => sum + attempts.length, 0)),
  "",
  "",
  ""
]
