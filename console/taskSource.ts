import type { TaskView } from "../src/account/TaskView.ts"
import type { TaskSummary } from "../src/admin/TaskSummary.ts"
import type { DeliverySummary } from "../src/admin/DeliverySummary.ts"
import type { DeliveryRecord } from "../src/callbacks/DeliveryRecord.ts"
import type { VideoTaskRecord } from "../src/videos/VideoTaskRecord.ts"
import type { App } from "./app.ts"

interface TaskPage {
  readonly data: ReadonlyArray<TaskSummary>
  readonly next: string | null
}

/** A change of a task and its delivery. Times are Unix ms. */
export interface TaskDelivery {
  readonly id: string
  readonly status: string
  readonly state: DeliveryRecord["state"]
  readonly attempts: DeliveryRecord["attempts"]
  readonly createdAt: number
  readonly nextAt: number | undefined
}

const toldOf = (delivery: DeliveryRecord): TaskDelivery => ({
  ...delivery,
  createdAt: delivery.created_at * 1_000,
  nextAt: delivery.next_attempt_at === undefined ? undefined : delivery.next_attempt_at * 1_000
})
const toldOfSummary = (delivery: DeliverySummary): TaskDelivery => ({
  ...delivery,
  createdAt: Date.parse(delivery.created_at),
  nextAt: delivery.next_attempt_at === null ? undefined : Date.parse(delivery.next_attempt_at)
})

type OwnTask = typeof TaskView.Type

/** How far back tasks are listed. */
const since = "30d"

/** Reads and changes tasks; an account's session sees only its own. */
export const taskSource = (app: App) => {
  const isOperator = app.session.kind === "operator"
  const base = isOperator ? "/admin/v1/tasks" : "/v1/tasks"
  const family = "/api/v3/contents/generations/tasks"
  /** A family's own endpoints are called with the task's key. */
  const as = (task: TaskSummary): HeadersInit => (isOperator ? { "x-gateway-key-id": task.key } : {})
  const path = (task: TaskSummary, rest = "") => `${family}/${encodeURIComponent(task.id)}${rest}`

  /** An account's own view omits where a task runs. */
  const ownTask = (task: OwnTask): TaskSummary => ({
    ...task,
    account: app.session.account_id ?? "",
    upstream: null,
    upstream_id: null,
    attempts: 0,
    tries: 0,
    submitted_at: null,
    held_by: null,
    next_run_at: null
  })
  const list = async (filter: Readonly<Record<string, string>>, after?: string): Promise<TaskPage> => {
    const query = new URLSearchParams({ since, limit: "500", ...filter, ...(after === undefined ? {} : { after }) })
    if (isOperator) return app.client.json<TaskPage>(`${base}?${query.toString()}`)
    const page = await app.client.json<{ readonly data: ReadonlyArray<OwnTask>; readonly next: string | null }>(
      `${base}?${query.toString()}`
    )
    return { data: page.data.map(ownTask), next: page.next }
  }

  return {
    list,
    find: async (id: string): Promise<TaskSummary> => {
      if (isOperator) return app.client.json<TaskSummary>(`${base}/${encodeURIComponent(id)}`)
      const { data } = await list({ limit: "1000" })
      const found = data.find((task) => task.id === id)
      if (found === undefined) throw new Error(id)
      return found
    },
    video: (task: TaskSummary) =>
      task.kind === "video"
        ? app.client.json<VideoTaskRecord>(path(task), { headers: as(task) }).catch(() => undefined)
        : Promise.resolve(undefined),
    /** Oldest first. */
    deliveries: async (task: TaskSummary): Promise<ReadonlyArray<TaskDelivery>> => {
      if (task.callback_url === null) return []
      if (isOperator) {
        const { data } = await app.client.admin((admin) =>
          admin.adminOperations.listDeliveries({ urlParams: { task: task.id, since, limit: 100 } })
        )
        return data.map(toldOfSummary).reverse()
      }
      if (task.kind !== "video") return []
      const { items } = await app.client
        .json<{ readonly items: ReadonlyArray<DeliveryRecord> }>(path(task, "/deliveries"), { headers: as(task) })
        .catch(() => ({ items: [] }))
      return items.map(toldOf)
    },
    redeliver: (task: TaskSummary, delivery: string): Promise<unknown> =>
      isOperator
        ? app.client.admin((admin) => admin.adminOperations.redeliver({ path: { id: delivery } }))
        : app.client.json(path(task, `/deliveries/${encodeURIComponent(delivery)}/redeliver`), {
            method: "POST",
            headers: as(task)
          }),
    cancel: (task: TaskSummary) =>
      isOperator
        ? app.client.send(`${base}/${encodeURIComponent(task.id)}/cancel`, { method: "POST" })
        : app.client.send(path(task), { method: "DELETE" })
  }
}
export type TaskSource = ReturnType<typeof taskSource>
