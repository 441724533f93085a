import type { TaskView } from "../src/account/TaskView.ts"
import type { TaskSummary } from "../src/admin/TaskSummary.ts"
import type { DeliverySummary } from "../src/admin/DeliverySummary.ts"
import type { DeliveryRecord } from "../src/callbacks/DeliveryRecord.ts"
import type { App } from "./app.ts"
import { notFound } from "./client.ts"
import { reaches } from "./reaches.ts"
import { words } from "./words/words.ts"

/** A change of a task and its delivery. Times are Unix ms. */
export interface TaskDelivery {
  readonly id: string
  readonly status: string
  readonly state: DeliveryRecord["state"]
  readonly attempts: DeliveryRecord["attempts"]
  readonly createdAt: number
  readonly nextAt: number | undefined
}

const deliveryOf = (delivery: DeliveryRecord): TaskDelivery => ({
  ...delivery,
  createdAt: delivery.created_at * 1_000,
  nextAt: delivery.next_attempt_at === undefined ? undefined : delivery.next_attempt_at * 1_000
})
const deliveryOfSummary = (delivery: DeliverySummary): TaskDelivery => ({
  ...delivery,
  createdAt: Date.parse(delivery.created_at),
  nextAt: delivery.next_attempt_at === null ? undefined : Date.parse(delivery.next_attempt_at)
})

type OwnTask = typeof TaskView.Type

/** How far back tasks are listed. */
const since = "30d"
/** Rows of the first page, which is waited for, and of later ones. */
const [firstRows, laterRows] = [100, 500]

export const filterNames = ["state", "kind", "callback", "account"] as const

/** The filter of an address; what no task can have is left out. */
const filterOf = (query: URLSearchParams) => {
  const one = (name: string, all: ReadonlyArray<string>) => all.find((value) => value === query.get(name))
  const [state, kind] = [one("state", Object.keys(words.tasks.states)), one("kind", Object.keys(words.tasks.kinds))]
  const callback = one("callback", Object.keys(words.tasks.chosenCallbacks))
  return {
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(callback !== undefined && { callback })
  }
}

/** Reads and changes tasks; an account's session sees only its own. */
export const taskSource = ({ client, session }: App) => {
  const isOperator = session.kind === "operator"
  const actsAsKeys = !isOperator || reaches(session, "adminKeys.rotateSecret")
  const seesDeliveries = !isOperator || reaches(session, "adminOperations.listDeliveries")
  /** A family's own endpoints are called with the task's key. */
  const as = (task: TaskSummary) => (isOperator ? task.key : undefined)

  /** An account's own view omits where a task runs. */
  const ownTask = (task: OwnTask): TaskSummary => ({
    ...task,
    account: session.account_id ?? "",
    upstream: null,
    upstream_id: null,
    attempts: 0,
    tries: 0,
    submitted_at: null,
    held_by: null,
    next_run_at: null
  })
  /** Words are searched for in the rows that are here, so that a search begins with more of them. */
  const rowsOf = (query: URLSearchParams, after?: string) =>
    after === undefined && !query.has("q") ? firstRows : laterRows
  const list = async (query: URLSearchParams, after?: string, limit = rowsOf(query, after)) => {
    const urlParams = { ...filterOf(query), since, limit, ...(after === undefined ? {} : { after }) }
    if (!isOperator) {
      const { data, next } = await client.own((own) => own.account.tasks({ urlParams }))
      return { data: data.map(ownTask), next }
    }
    const account = query.get("account") ?? ""
    return client.admin((admin) =>
      admin.adminOperations.listTasks({ urlParams: { ...urlParams, ...(account === "" ? {} : { account }) } })
    )
  }

  return {
    list,
    find: async (id: string): Promise<TaskSummary> => {
      if (isOperator) return client.admin((admin) => admin.adminOperations.showTask({ path: { id } }))
      const { data } = await list(new URLSearchParams(), undefined, 1_000)
      const found = data.find((task) => task.id === id)
      if (found === undefined) throw notFound(id)
      return found
    },
    video: (task: TaskSummary) =>
      task.kind === "video" && actsAsKeys
        ? client.own((own) => own.videos.find({ path: { id: task.id } }), as(task)).catch(() => undefined)
        : Promise.resolve(undefined),
    /** Oldest first. */
    deliveries: async (task: TaskSummary): Promise<ReadonlyArray<TaskDelivery>> => {
      if (task.callback_url === null || !seesDeliveries) return []
      if (isOperator) {
        const { data } = await client.admin((admin) =>
          admin.adminOperations.listDeliveries({ urlParams: { task: task.id, since, limit: 100 } })
        )
        return data.map(deliveryOfSummary).reverse()
      }
      if (task.kind !== "video") return []
      const { items } = await client
        .own((own) => own.videos.deliveries({ path: { id: task.id } }))
        .catch(() => ({ items: [] }))
      return items.map(deliveryOf)
    },
    redeliver: (task: TaskSummary, delivery: string): Promise<unknown> =>
      isOperator
        ? client.admin((admin) => admin.adminOperations.redeliver({ path: { id: delivery } }))
        : client.own((own) => own.videos.redeliver({ path: { id: task.id, delivery } })),
    cancel: (task: TaskSummary): Promise<unknown> =>
      isOperator
        ? client.admin((admin) => admin.adminOperations.cancelTask({ path: { id: task.id } }))
        : client.own((own) => own.videos.remove({ path: { id: task.id } }))
  }
}
export type TaskSource = ReturnType<typeof taskSource>
