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

  const create = (body: JsonObject): Response => {
    const prompt = JSON.stringify(body["input"])
    const [, status, code] = /refuse:(\d{3})\/([\w.]+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), code ?? "")
    const wrong = wrongIn(body)
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
          SR: Number((parameters.resolution ?? "720P").replace("P", ""))
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
      if (pathname === "/api/v1/services/aigc/video-generation/video-synthesis") {
        return request.headers.get("x-dashscope-async") === "enable"
          ? create((await request.json()) as JsonObject)
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
    resolution: ((body["parameters"] as Parameters).resolution ?? "720P").toLowerCase(),
    hasVideoInput: input_video_duration !== undefined,
    hasSound: true,
    tier: "default"
  }
}

const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

const refusal = (status: number, code: string, message = "no"): Response =>
  Response.json({ code, message: `${message} ${dashscopeKey}`, request_id: "7574ee8f" }, { status })
