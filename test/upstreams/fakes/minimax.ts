import type { JsonObject } from "../../../src/contract/fields.ts"
import { secondsOf, secondsOver, sumOf } from "./bill.ts"
import type { BillLine } from "./bill.ts"
import { clipOf } from "./clip.ts"

export interface MiniMaxTask {
  readonly id: string
  readonly body: JsonObject
  readonly createdAt: number
  status: string
  error?: { readonly code: string; readonly message: string }
}

export const minimaxKey = "minimax-planted-secret"

/**
 * MiniMax's videos, version 2, as a real HTTP server, after platform.minimax.io/docs/api-reference/video-generation-v2-*
 * (create, query, list, delete), read in November 2026; there is no client library. A prompt drives it, as Ark's fake.
 * Addresses of files work once for each query, and not without the query's own mark.
 */
export const fakeMiniMax = () => {
  const tasks: Array<MiniMaxTask> = []
  /** Ended tasks whose records a DELETE removed. Their ids are not given again. */
  const removed: Array<MiniMaxTask> = []
  const calls: Array<{ readonly method: string; readonly path: string }> = []
  /** Addresses of files that still work. */
  const signed = new Set<string>()
  let marks = 0

  const create = (body: JsonObject): Response | Promise<Response> => {
    const wrong = wrongIn(body)
    if (wrong !== undefined) return refusal(400, "bad_request_error", `invalid params, ${wrong} (2013)`)
    const prompt = JSON.stringify(body["content"])
    const [, status, type] = /refuse:(\d{3})\/(\w+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), type ?? "", "no (1000)")
    const id = String(424_010_985_738_629 + tasks.length + removed.length)
    tasks.push({ id, body, createdAt: Math.floor(Date.now() / 1_000), status: "queued" })
    return prompt.includes("drop") ? hangUp() : Response.json({ task_id: id })
  }

  const record = (task: MiniMaxTask): JsonObject => ({
    id: task.id,
    model: task.body["model"],
    status: task.status,
    ...(task.error !== undefined && { error: task.error }),
    created_at: task.createdAt,
    updated_at: task.createdAt + 1,
    ...(task.status === "succeeded" && { content: { url: addressOf(task.id) }, usage: usageOf(task.body) }),
    resolution: task.body["resolution"],
    duration: task.body["duration"],
    ratio: task.body["ratio"],
    task_type: "generation",
    modality: "video"
  })

  const addressOf = (id: string): string => {
    const address = `/media/${id}.mp4?Expires=${++marks}`
    signed.add(address)
    return `http://127.0.0.1:${server.port}${address}`
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request): Promise<Response> => {
      const { pathname, search, searchParams } = new URL(request.url)
      calls.push({ method: request.method, path: pathname + search })
      if (pathname.startsWith("/media/")) {
        const isOpen = signed.delete(pathname + search) && request.headers.get("authorization") === null
        return isOpen ? new Response(clipOf(pathname)) : new Response("expired", { status: 403 })
      }
      if (request.headers.get("authorization") !== `Bearer ${minimaxKey}`) {
        return refusal(401, "authorized_error", "login fail (1004)")
      }
      if (request.method === "POST" && pathname === "/v2/video_generation") {
        return create((await request.json()) as JsonObject)
      }
      if (pathname === "/v2/query/video_generation") {
        const [page, size] = [searchParams.get("page_num"), searchParams.get("page_size")].map(Number)
        const newest = tasks.toReversed().map(record)
        return Response.json({ items: newest.slice((page! - 1) * size!, page! * size!), total: tasks.length })
      }
      const task = tasks.find(({ id }) => pathname.endsWith(`/${id}`))
      if (task === undefined) return refusal(500, "server_error", "record not found (1000)")
      if (request.method !== "DELETE") return Response.json({ task: record(task) })
      if (task.status === "running") return refusal(400, "bad_request_error", "a running task can't be deleted (2013)")
      if (task.status === "queued") task.status = "cancelled"
      else removed.push(...tasks.splice(tasks.indexOf(task), 1))
      return Response.json({ task_id: task.id, status: "cancelled" })
    }
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v2`,
    tasks,
    removed,
    calls,
    bill: () => tasks.filter(({ status }) => status === "succeeded").map(lineOf),
    move: (id: string, status: string, error?: MiniMaxTask["error"]) => {
      const task = tasks.find((one) => one.id === id)!
      task.status = status
      if (error !== undefined) task.error = error
    },
    stop: () => server.stop(true)
  }
}

/** The rule of the document that a create breaks. */
const wrongIn = (body: JsonObject): string | undefined => {
  const known = new Set([
    "model",
    "content",
    "resolution",
    "duration",
    "ratio",
    "callback_url",
    "aigc_watermark",
    "extra"
  ])
  const unknown = Object.keys(body).find((name) => !known.has(name))
  if (unknown !== undefined) return `unknown ${unknown}`
  const parts = body["content"] as ReadonlyArray<{ readonly type: string; readonly text?: string }>
  if (!parts.some(({ text }) => text !== undefined && text !== "")) return "content must include a non-empty text item"
  const duration = Number(body["duration"])
  if (!Number.isInteger(duration) || duration < 5 || duration > 15) return "duration"
  const resolutions = body["model"] === "MiniMax-H3-Max" ? ["480P", "768P"] : ["768P", "2K"]
  if (!resolutions.includes(String(body["resolution"]))) return "resolution"
  const ratios = ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"]
  return parts.length > 1 || ratios.includes(String(body["ratio"])) ? undefined : "ratio"
}

const usageOf = (body: JsonObject) => {
  const { content, duration } = body as unknown as Asked
  const input = sumOf(content.map(({ video_url }) => secondsOf(video_url?.url ?? "")))
  return {
    total_seconds: input + duration + secondsOver(body),
    input_seconds: input,
    output_seconds: duration + secondsOver(body),
    input_image_count: content.filter(({ type }) => type === "image_url").length
  }
}

interface Asked {
  readonly content: ReadonlyArray<{ readonly type: string; readonly video_url?: { readonly url: string } }>
  readonly duration: number
}

/** Of platform.minimax.io/docs/guides/pricing-paygo: seconds made, and those of input videos. */
const lineOf = ({ body }: MiniMaxTask): BillLine => ({
  model: String(body["model"]),
  seconds: usageOf(body).total_seconds,
  resolution: String(body["resolution"]).toLowerCase(),
  hasVideoInput: usageOf(body).input_seconds > 0,
  images: usageOf(body).input_image_count,
  hasSound: true,
  tier: "default"
})

/** A body that ends before the length it promised. */
const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

const refusal = (status: number, type: string, message: string): Response =>
  Response.json(
    {
      type: "error",
      error: { type, message: `${message} ${minimaxKey}`, http_code: String(status) },
      request_id: "021785229015510a2c883cf675b9804d"
    },
    { status, headers: status === 429 ? { "retry-after": "7" } : {} }
  )
