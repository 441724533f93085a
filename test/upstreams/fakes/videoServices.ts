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

/** How a service is configured, and a model of its own. */
interface Access {
  readonly protocol: string
  readonly path: string
  readonly key: string
  readonly model: string
}

/** Every service of videos, by the name of its upstream. */
export const videoAccess = {
  ark: { protocol: "ark-video", path: "/api/v3", key: arkKey, model: "doubao-seedance-2-0-260128" },
  openai: { protocol: "openai-videos", path: "/v1", key: soraKey, model: "sora-2" },
  minimax: { protocol: "minimax-video", path: "/v2", key: minimaxKey, model: "MiniMax-H3" },
  dashscope: { protocol: "dashscope-video", path: "/api/v1", key: dashscopeKey, model: "wan3.0-video" },
  kling: { protocol: "kling-video", path: "/v1", key: klingKey, model: "kling-v3" },
  google: { protocol: "veo", path: "/v1beta", key: veoKey, model: "veo-3.1-generate-001" },
  vertex: {
    protocol: "veo",
    path: "/v1/projects/p/locations/l/publishers/google",
    key: veoKey,
    model: "veo-3.1-generate-001"
  }
} as const satisfies Readonly<Record<string, Access>>

export type VideoServiceName = keyof typeof videoAccess
export const videoServiceNames = Object.keys(videoAccess) as ReadonlyArray<VideoServiceName>

export const isVideoService = (name: string): name is VideoServiceName => name in videoAccess

/** The upstream's entry in `gateway.yaml`, for a service at an origin. */
export const videoEntry = (name: VideoServiceName, origin: string) => {
  const { key, path, protocol } = videoAccess[name]
  return { protocol, base_url: `${origin}${path}`, api_key: key }
}

/** A service of videos with the same handles as the others, which moves on when it is told. */
export interface VideoService {
  readonly origin: string
  readonly videos: () => ReadonlyArray<ServiceVideo>
  readonly run: (id: string) => void
  readonly finish: (id: string) => void
  readonly fail: (id: string) => void
  /** What it charges for. */
  readonly bill: () => ReadonlyArray<BillLine>
  readonly stop: () => unknown
}

const fault = { code: "OutputVideoSensitiveContentDetected", message: "of all things" }

const stateOf = (status: string, queued: string, running: string): ServiceVideo["state"] =>
  status === queued ? "queued" : status === running ? "running" : "ended"

const ark = (options: Parameters<typeof fakeArk>[0]): VideoService => {
  const fake = fakeArk(options)
  return {
    origin: new URL(fake.baseUrl).origin,
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
    fail: (id) => fake.move(id, "failed", fault),
    bill: fake.bill,
    stop: fake.stop
  }
}

const openai = (): VideoService => {
  const fake = fakeSora()
  return {
    origin: new URL(fake.baseUrl).origin,
    videos: () =>
      [...fake.made, ...fake.deleted].map((video) => {
        const isCancelled = fake.deleted.includes(video)
        const state = isCancelled ? "ended" : stateOf(video.status, "queued", "in_progress")
        return { id: video.id, body: video.form, state, isCancelled }
      }),
    run: (id) => fake.move(id, "in_progress"),
    finish: (id) => fake.move(id, "completed"),
    fail: (id) => fake.move(id, "failed", fault),
    bill: fake.bill,
    stop: fake.stop
  }
}

const minimax = (): VideoService => {
  const fake = fakeMiniMax()
  return {
    origin: new URL(fake.baseUrl).origin,
    videos: () =>
      [...fake.tasks, ...fake.removed].map(({ body, id, status }) => ({
        id,
        body,
        state: stateOf(status, "queued", "running"),
        isCancelled: status === "cancelled" || fake.removed.some((one) => one.id === id)
      })),
    run: (id) => fake.move(id, "running"),
    finish: (id) => fake.move(id, "succeeded"),
    fail: (id) => fake.move(id, "failed", fault),
    bill: fake.bill,
    stop: fake.stop
  }
}

const dashscope = (): VideoService => {
  const fake = fakeDashScope()
  return {
    origin: new URL(fake.baseUrl).origin,
    videos: () =>
      fake.tasks.map(({ body, id, status }) => ({
        id,
        body,
        state: stateOf(status, "PENDING", "RUNNING"),
        isCancelled: status === "CANCELED"
      })),
    run: (id) => fake.move(id, "RUNNING"),
    finish: (id) => fake.move(id, "SUCCEEDED"),
    fail: (id) => fake.move(id, "FAILED", fault),
    bill: fake.bill,
    stop: fake.stop
  }
}

const kling = (options: { readonly media?: string }): VideoService => {
  const fake = fakeKling(options)
  return {
    origin: new URL(fake.baseUrl).origin,
    videos: () =>
      fake.tasks.map(({ body, endpoint, id, status }) => ({
        id: `${endpoint}/${id}`,
        body,
        state: stateOf(status, "submitted", "processing"),
        isCancelled: false
      })),
    run: (id) => fake.move(id, "processing"),
    finish: (id) => fake.move(id, "succeed"),
    fail: (id) => fake.move(id, "failed", fault.message),
    bill: fake.bill,
    stop: fake.stop
  }
}

/** Google's API, or Vertex, by the path that is asked. */
const veo = (): VideoService => {
  const fake = fakeVeo()
  return {
    origin: fake.origin,
    videos: () =>
      fake.operations.map(({ body, done, name }) => ({
        id: name,
        body,
        state: done ? "ended" : "running",
        isCancelled: false
      })),
    run: () => {},
    finish: (id) => fake.end(id),
    fail: (id) => fake.end(id, { error: fault }),
    bill: fake.bill,
    stop: fake.stop
  }
}

interface Options {
  /** Where Ark's and Kling's links lead. */
  readonly media?: string
  /** Ark's records tell of the videos that were asked for. */
  readonly measures?: boolean
}

/** Starts every service. */
export const videoServices = ({ measures = false, media }: Options = {}): Readonly<
  Record<VideoServiceName, VideoService>
> => {
  const links = media === undefined ? {} : { media }
  return {
    ark: ark({ measures, ...links }),
    openai: openai(),
    minimax: minimax(),
    dashscope: dashscope(),
    kling: kling(links),
    google: veo(),
    vertex: veo()
  }
}
