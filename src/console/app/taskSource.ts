import type { TaskSummary } from "../../admin/TaskSummary.ts"
import type { DeliveryRecord } from "../../callbacks/DeliveryRecord.ts"
import type { VideoTaskRecord } from "../../videos/VideoTaskRecord.ts"
import type { App } from "./app.ts"

interface TaskPage {
  readonly data: ReadonlyArray<TaskSummary>
  readonly next: string | null
}

/** How far back tasks are listed. */
const since = "30d"

/** What pages ask about tasks; an account's session sees its own alone. */
export const taskSource = (app: App) => {
  const isOperator = app.session.kind === "operator"
  const base = isOperator ? "/admin/v1/tasks" : "/v1/tasks"
  const family = "/api/v3/contents/generations/tasks"
  /** A family's own calls are made as the key that made the task. */
  const as = (task: TaskSummary): HeadersInit => (isOperator ? { "x-gateway-key-id": task.key } : {})
  const path = (task: TaskSummary, rest = "") => `${family}/${encodeURIComponent(task.id)}${rest}`

  return {
    list: (filter: Readonly<Record<string, string>>, after?: string) => {
      const query = new URLSearchParams({ since, limit: "500", ...filter, ...(after === undefined ? {} : { after }) })
      return app.client.json<TaskPage>(`${base}?${query.toString()}`)
    },
    find: (id: string) =>
      isOperator
        ? app.client.json<TaskSummary>(`${base}/${encodeURIComponent(id)}`)
        : app.client.json<TaskPage>(`${base}?limit=1000&since=${since}`).then(({ data }) => {
            const found = data.find((task) => task.id === id)
            if (found === undefined) throw new Error(id)
            return found
          }),
    video: (task: TaskSummary) =>
      task.kind === "video"
        ? app.client.json<VideoTaskRecord>(path(task), { headers: as(task) }).catch(() => undefined)
        : Promise.resolve(undefined),
    deliveries: async (task: TaskSummary): Promise<ReadonlyArray<DeliveryRecord>> => {
      if (task.kind !== "video" || task.callback_url === null) return []
      const { items } = await app.client
        .json<{ readonly items: ReadonlyArray<DeliveryRecord> }>(path(task, "/deliveries"), { headers: as(task) })
        .catch(() => ({ items: [] }))
      return items
    },
    redeliver: (task: TaskSummary, delivery: string) =>
      app.client.json<DeliveryRecord>(path(task, `/deliveries/${encodeURIComponent(delivery)}/redeliver`), {
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
