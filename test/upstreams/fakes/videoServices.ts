import { arkKey, fakeArk } from "./ark.ts"
import type { BillLine } from "./bill.ts"
import { dashscopeKey, fakeDashScope } from "./dashscope.ts"
import { fakeKling, klingKey } from "./kling.ts"
import { fakeMiniMax, minimaxKey } from "./minimax.ts"
import { fakeSora, soraKey } from "./sora.ts"
import { fakeVeo, veoKey } from "./veo.ts"

/** A video at a service, whatever it calls its states. */
export interface ServiceVideo {
  /** The id by which the gateway polls it. */
  readonly id: string
  /** What it was asked for. */
  readonly body: unknown
  readonly state: "queued" | "running" | "ended"
  readonly isCancelled: boolean
}

/** A service of videos with the same handles as the others, which moves on when it is told. */
export interface VideoService {
  /** The upstream's entry in `gateway.yaml`. */
  readonly entry: { readonly protocol: string; readonly base_url: string; readonly api_key: string }
  /** A model of its own, and a resolution that the model has. */
  readonly model: string
  readonly resolution: string
  readonly videos: () => ReadonlyArray<ServiceVideo>
  readonly run: (id: string) => void
  readonly finish: (id: string) => void
  /** What it charges for. */
  readonly bill: () => ReadonlyArray<BillLine>
  readonly stop: () => unknown
}

const stateOf = (status: string, queued: string, running: string): ServiceVideo["state"] =>
  status === queued ? "queued" : status === running ? "running" : "ended"

const ark = (options: Parameters<typeof fakeArk>[0]): VideoService => {
  const fake = fakeArk(options)
  return {
    entry: { protocol: "ark-video", base_url: fake.baseUrl, api_key: arkKey },
    model: "doubao-seedance-2-0-260128",
    resolution: "720p",
    videos: () =>
      [...fake.tasks, ...fake.removed].map(({ body, id, status }) => ({
        id,
        body,
        state: stateOf(status, "queued", "running"),
        // A DELETE that came when it had just ended removes its record.
        isCancelled: status === "cancelled" || fake.removed.some((one) => one.id === id)
      })),
    run: (id) => fake.move(id, "running"),
    finish: (id) => fake.move(id, "succeeded"),
    bill: fake.bill,
    stop: fake.stop
  }
}

const openai = (): VideoService => {
  const fake = fakeSora()
  return {
    entry: { protocol: "openai-videos", base_url: fake.baseUrl, api_key: soraKey },
    model: "sora-2",
    resolution: "720p",
    videos: () =>
      [...fake.made, ...fake.deleted].map(({ form, id, status }) => ({
        id,
        body: form,
        state: stateOf(status, "queued", "in_progress"),
        isCancelled: fake.deleted.some((one) => one.id === id)
      })),
    run: (id) => fake.move(id, "in_progress"),
    finish: (id) => fake.move(id, "completed"),
    bill: fake.bill,
    stop: fake.stop
  }
}

const minimax = (): VideoService => {
  const fake = fakeMiniMax()
  return {
    entry: { protocol: "minimax-video", base_url: fake.baseUrl, api_key: minimaxKey },
    model: "MiniMax-H3",
    resolution: "768p",
    videos: () =>
      [...fake.tasks, ...fake.removed].map(({ body, id, status }) => ({
        id,
        body,
        state: stateOf(status, "queued", "running"),
        isCancelled: status === "cancelled" || fake.removed.some((one) => one.id === id)
      })),
    run: (id) => fake.move(id, "running"),
    finish: (id) => fake.move(id, "succeeded"),
    bill: fake.bill,
    stop: fake.stop
  }
}

const dashscope = (): VideoService => {
  const fake = fakeDashScope()
  return {
    entry: { protocol: "dashscope-video", base_url: fake.baseUrl, api_key: dashscopeKey },
    model: "wan3.0-video",
    resolution: "720p",
    videos: () =>
      fake.tasks.map(({ body, id, status }) => ({
        id,
        body,
        state: stateOf(status, "PENDING", "RUNNING"),
        isCancelled: status === "CANCELED"
      })),
    run: (id) => fake.move(id, "RUNNING"),
    finish: (id) => fake.move(id, "SUCCEEDED"),
    bill: fake.bill,
    stop: fake.stop
  }
}

const kling = (): VideoService => {
  const fake = fakeKling()
  return {
    entry: { protocol: "kling-video", base_url: fake.baseUrl, api_key: klingKey },
    model: "kling-v3",
    resolution: "720p",
    videos: () =>
      fake.tasks.map(({ body, endpoint, id, status }) => ({
        id: `${endpoint}/${id}`,
        body,
        state: stateOf(status, "submitted", "processing"),
        isCancelled: false
      })),
    run: (id) => fake.move(id, "processing"),
    finish: (id) => fake.move(id, "succeed"),
    bill: fake.bill,
    stop: fake.stop
  }
}

/** Google's API, or Vertex. */
const veo = (place: "baseUrl" | "vertexUrl"): VideoService => {
  const fake = fakeVeo()
  return {
    entry: { protocol: "veo", base_url: fake[place], api_key: veoKey },
    model: "veo-3.1-generate-001",
    resolution: "720p",
    videos: () =>
      fake.operations.map(({ body, done, name }) => ({
        id: name,
        body,
        state: done ? "ended" : "running",
        isCancelled: false
      })),
    run: () => {},
    finish: (id) => fake.end(id),
    bill: fake.bill,
    stop: fake.stop
  }
}

/** Every service of videos, by the name of its upstream. */
export const videoServices = (arkOptions: Parameters<typeof fakeArk>[0] = {}) => ({
  ark: ark(arkOptions),
  openai: openai(),
  minimax: minimax(),
  dashscope: dashscope(),
  kling: kling(),
  google: veo("baseUrl"),
  vertex: veo("vertexUrl")
})

export type VideoServiceName = keyof ReturnType<typeof videoServices>
