import type { RequestDetail } from "../../src/requests/RequestView.ts"
import type { App } from "../app.ts"
import { isFamily } from "./draft.ts"
import type { Family } from "./draft.ts"
import { recordedIn } from "./recorded.ts"
import type { Recorded } from "./recorded.ts"

/** The known parts of a request or a task, to repeat it. */
export interface Repeated {
  readonly id: string
  readonly family: Family
  readonly model: string
  readonly key: string
  /** True if its text is recorded. */
  readonly isRecorded: boolean
  readonly asked: Partial<Recorded>
}

const isOperator = (app: App) => app.session.kind === "operator"

const requestOf = (app: App, id: string): Promise<RequestDetail> =>
  isOperator(app)
    ? app.client.admin((admin) => admin.adminOperations.showRequest({ path: { id } }))
    : app.client.own((own) => own.account.request({ path: { id } }))

const asked = ({ bodies }: RequestDetail): Pick<Repeated, "asked" | "isRecorded"> => {
  const recorded = bodies === null ? undefined : recordedIn(bodies.request)
  return { isRecorded: recorded !== undefined, asked: recorded ?? {} }
}

const ofRequest = async (app: App, id: string): Promise<Repeated> => {
  const request = await requestOf(app, id)
  const { family, key, model } = request
  return { id, family: isFamily(family) ? family : "messages", key, model: model ?? "", ...asked(request) }
}

const hourMs = 3_600_000

/** The request that created a task; undefined if it is no longer stored or does not name it. */
const makerOf = async (app: App, task: string, createdAt: string): Promise<RequestDetail | undefined> => {
  const made = Date.parse(createdAt)
  const urlParams = {
    task,
    since: new Date(made - hourMs).toISOString(),
    until: new Date(made).toISOString(),
    limit: 1
  }
  const { data } = await (isOperator(app)
    ? app.client.admin((admin) => admin.adminOperations.listRequests({ urlParams }))
    : app.client.own((own) => own.account.requests({ urlParams })))
  const id = data[0]?.request_id
  return id === undefined ? undefined : requestOf(app, id)
}

const families: Readonly<Record<string, Family>> = { video: "videos", response: "responses", message: "task" }

const taskOf = async (app: App, id: string) => {
  if (isOperator(app)) return app.client.admin((admin) => admin.adminOperations.showTask({ path: { id } }))
  const { data } = await app.client.own((own) => own.account.tasks({ urlParams: { limit: 1_000 } }))
  return data.find((task) => task.id === id)
}

const ofTask = async (app: App, id: string): Promise<Repeated | undefined> => {
  const task = await taskOf(app, id)
  if (task === undefined) return undefined
  const key = isOperator(app) ? task.key : undefined
  const [maker, video] = await Promise.all([
    makerOf(app, id, task.created_at).catch(() => undefined),
    task.kind === "video"
      ? app.client.own((own) => own.videos.find({ path: { id } }), key).catch(() => undefined)
      : undefined
  ])
  const told = maker === undefined ? { isRecorded: false, asked: {} } : asked(maker)
  // Settings that the request left open were chosen, and are in the task.
  const made = { resolution: video?.resolution, ratio: video?.ratio, seconds: video?.duration }
  const known = Object.fromEntries(Object.entries(told.asked).filter(([, value]) => value !== undefined))
  return {
    id,
    family: families[task.kind] ?? "messages",
    key: task.key,
    model: task.model,
    isRecorded: told.isRecorded,
    asked: { ...made, ...known }
  }
}

/** The request or task that the address asks to repeat. */
export const toRepeat = (app: App, request: string | null, task: string | null): Promise<Repeated | undefined> =>
  request !== null ? ofRequest(app, request) : task !== null ? ofTask(app, task) : Promise.resolve(undefined)
