import type { JsonObject } from "../../../src/contract/fields.ts"
import { secondsOf, secondsOver, sumOf } from "./bill.ts"
import type { BillLine } from "./bill.ts"
import { clipOf } from "./clip.ts"

export interface DashScopeTask {
  readonly id: string
  readonly body: JsonObject
  status: string
  error?: { readonly code: string; readonly message: string }
}

interface Parameters {
  readonly duration?: number
  readonly resolution?: string
  readonly seed?: number
  readonly size?: string
}

export const dashscopeKey = "dashscope-planted-secret"

/**
 * Alibaba's Model Studio as a real HTTP server: asynchronous video tasks, as `@ai-sdk/alibaba` and PyPI's `dashscope` ask
 * for them. A prompt drives it, as Ark's fake.
 */
export const fakeDashScope = () => {
  const tasks: Array<DashScopeTask> = []

  const create = (body: JsonObject, service: string): Response => {
    const prompt = JSON.stringify(body["input"])
    const [, status, code] = /refuse:(\d{3})\/([\w.]+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), code ?? "")
    const wrong = wrongIn(body) ?? wrongAt(service, body)
    if (wrong !== undefined) return refusal(400, "InvalidParameter", wrong)
    const id = `0385dc79-5ff8-4d82-bcb6-${String(tasks.length).padStart(12, "0")}`
    tasks.push({ id, body, status: "PENDING" })
    if (prompt.includes("drop")) return hangUp()
    return Response.json({ output: { task_status: "PENDING", task_id: id }, request_id: id })
  }

  const record = ({ body, error, id, status }: DashScopeTask): JsonObject => {
    const parameters = body["parameters"] as Parameters
    const isDone = status === "SUCCEEDED"
    return {
      request_id: id,
      output: {
        task_id: id,
        task_status: status,
        submit_time: "2026-11-27 10:00:00.000",
        ...(isDone && { video_url: `http://127.0.0.1:${server.port}/media/${id}.mp4` }),
        ...error
      },
      ...(isDone && {
        usage: {
          ...secondsIn(body),
          video_count: 1,
          SR: Number(resolutionIn(parameters).replace("p", ""))
        }
      })
    }
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith("/media/")) return new Response(clipOf(pathname))
      if (request.headers.get("authorization") !== `Bearer ${dashscopeKey}`) return refusal(401, "InvalidApiKey")
      const [, service] = /^\/api\/v1\/services\/aigc\/([\w-]+)\/video-synthesis$/.exec(pathname) ?? []
      if (service !== undefined) {
        return request.headers.get("x-dashscope-async") === "enable"
          ? create((await request.json()) as JsonObject, service)
          : refusal(403, "AccessDenied", "current user api does not support synchronous calls")
      }
      const [, id, cancel] = /^\/api\/v1\/tasks\/([\w-]+)(\/cancel)?$/.exec(pathname) ?? []
      const task = tasks.find((one) => one.id === id)
      if (task === undefined) {
        return Response.json({ request_id: id, output: { task_id: id, task_status: "UNKNOWN" } })
      }
      if (cancel === undefined) return Response.json(record(task))
      if (task.status !== "PENDING") return refusal(400, "UnsupportedOperation", "only PENDING tasks can be cancelled")
      task.status = "CANCELED"
      return Response.json({ request_id: id })
    }
  })
  return {
    origin: `http://127.0.0.1:${server.port}`,
    baseUrl: `http://127.0.0.1:${server.port}/api/v1`,
    tasks,
    bill: () => tasks.filter(({ status }) => status === "SUCCEEDED").map(lineOf),
    move: (id: string, status: string, error?: DashScopeTask["error"]) => {
      const task = tasks.find((one) => one.id === id)!
      task.status = status
      if (error !== undefined) task.error = error
    },
    stop: () => server.stop(true)
  }
}

/** The rule of the document that a create breaks. */
const wrongIn = (body: JsonObject): string | undefined => {
  const { duration, resolution, seed, size } = body["parameters"] as Parameters
  if (duration !== undefined && !Number.isInteger(duration)) return "duration must be an integer"
  if (seed !== undefined && (seed < 0 || seed > 2_147_483_647)) return "seed is out of range"
  if (resolution !== undefined && !/^(480|720|1080)P$/.test(resolution)) return "resolution is invalid"
  return size === undefined || /^\d+\*\d+$/.test(size) ? undefined : "size is invalid"
}

interface Input {
  readonly prompt?: string
  readonly img_url?: string
  readonly first_frame_url?: string
  readonly last_frame_url?: string
  readonly media?: ReadonlyArray<{ readonly type: string }>
}

/** Sizes and lengths by version, and the fields of each kind of model (help.aliyun.com, "Wan" of each version). */
const wrongAt = (service: string, body: JsonObject): string | undefined => {
  const model = String(body["model"])
  const [, version = "", kind = ""] = /^(wan2\.\d|wan3\.0|happyhorse-1\.\d)-(t2v|i2v|kf2v|r2v|video)/.exec(model) ?? []
  if (version === "") return undefined
  const input = body["input"] as Input
  const { audio, duration = 5, resolution, size } = body["parameters"] as Parameters & { readonly audio?: boolean }
  if (service !== (kind === "kf2v" ? "image2video" : "video-generation")) return "url error, please check url"
  const isOld = /^wan2\.[1-6]/.test(version)
  const isSilent = /^wan2\.[12]/.test(version)
  if (isSilent && (audio !== undefined || duration !== 5)) return "unknown parameter, or duration"
  if (version === "wan2.5" && duration !== 5 && duration !== 10) return "duration"
  if (duration < 2 || duration > 15) return "duration"
  const made = resolution ?? tierOf(size)
  const hasSmall = !/^(wan2\.[67]|happyhorse-1\.0)/.test(version)
  const isPlus = model.includes("2.2") && model.endsWith("-plus")
  const resolutions = isPlus ? ["480P", "1080P"] : [...(hasSmall ? ["480P"] : []), "720P", "1080P"]
  if (!resolutions.includes(made ?? "")) return "resolution"
  const types = (input.media ?? []).map(({ type }) => type)
  const frames = types.filter((type) => type.endsWith("_frame"))
  switch (kind) {
    case "t2v":
      return Object.keys(input).every((name) => name === "prompt") && (isOld ? size : resolution) !== undefined
        ? undefined
        : "input"
    case "kf2v":
      return input.first_frame_url !== undefined && input.last_frame_url !== undefined ? undefined : "frames"
    case "i2v":
      if (isOld) return input.img_url !== undefined && types.length === 0 ? undefined : "img_url"
      return types.includes("first_frame") && frames.length === types.length ? undefined : "media"
    case "r2v":
      return types.some((type) => type !== "reference_audio") &&
        frames.length === 0 &&
        !types.includes("reference_audio")
        ? undefined
        : "media"
    default:
      return undefined
  }
}

/**
 * Seconds made and seconds of input videos, which are billed alike: all of Wan 3's, five of Wan 2.7's
 * (alibabacloud.com/help/en/model-studio, "Wan - reference-to-video").
 */
const secondsIn = ({ input, model, parameters }: JsonObject) => {
  const { media = [] } = input as { readonly media?: ReadonlyArray<{ readonly url: string }> }
  const duration = ((parameters as Parameters).duration ?? 5) + secondsOver(input)
  const all = sumOf(media.map(({ url }) => secondsOf(url)))
  const inputSeconds = String(model).startsWith("wan3") ? all : Math.min(all, 5)
  return {
    duration: duration + inputSeconds,
    output_video_duration: duration,
    ...(inputSeconds > 0 && { input_video_duration: inputSeconds })
  }
}

const lineOf = ({ body }: DashScopeTask): BillLine => {
  const { duration, input_video_duration } = secondsIn(body)
  return {
    model: String(body["model"]),
    seconds: duration,
    resolution: resolutionIn(body["parameters"] as Parameters),
    hasVideoInput: input_video_duration !== undefined,
    hasSound: true,
    tier: "default"
  }
}

const tiers: Readonly<Record<string, string>> = {
  "480P": "832*480 480*832 624*624",
  "720P": "1280*720 720*1280 960*960 1088*832 832*1088",
  "1080P": "1920*1080 1080*1920 1440*1440 1632*1248 1248*1632"
}

/** The tier that a size is listed in. */
const tierOf = (size = ""): string | undefined =>
  Object.keys(tiers).find((tier) => tiers[tier]!.split(" ").includes(size))

const resolutionIn = ({ resolution, size }: Parameters): string => (resolution ?? tierOf(size) ?? "720P").toLowerCase()

const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

const refusal = (status: number, code: string, message = "no"): Response =>
  Response.json({ code, message: `${message} ${dashscopeKey}`, request_id: "7574ee8f" }, { status })
