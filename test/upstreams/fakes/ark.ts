import type { JsonObject } from "../../../src/contract/fields.ts"
import { secondsOf, sumOf } from "./bill.ts"
import type { BillLine } from "./bill.ts"

export interface ArkTask {
  readonly id: string
  readonly body: JsonObject
  readonly createdAt: number
  status: string
  /** How long its video became. */
  seconds: number
  error?: { readonly code: string; readonly message: string }
}

export interface ArkCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Record<string, string>
  readonly body: JsonObject | undefined
}

interface ArkOptions {
  readonly clockMs?: () => number
  readonly media?: string
  /** A record tells of the video that was asked for; otherwise of one of 720p that is as long as `move` says. */
  readonly measures?: boolean
}

const tasksPath = "/api/v3/contents/generations/tasks"

/**
 * Ark's video tasks as a real HTTP server. A prompt drives it: `refuse:429/RateLimitExceeded.RPM` answers so; `drop`
 * takes the task and closes without an answer, `reset` closes without taking it, `mute` takes it and never answers.
 * A task moves on when the test says so (`move`).
 */
export const fakeArk = (options: ArkOptions = {}) => {
  const clockMs = options.clockMs ?? Date.now
  const record = recordWith(options.media ?? "https://media.example.com", options.measures === true)
  const tasks: Array<ArkTask> = []
  /** Ended tasks whose records a DELETE removed. Their ids are not given again. */
  const removed: Array<ArkTask> = []
  const calls: Array<ArkCall> = []
  /** Answers the next call in place of the service. */
  const overrides: Array<() => Response> = []

  const add = (body: JsonObject, createdAt = Math.floor(clockMs() / 1_000)): ArkTask => {
    const task: ArkTask = {
      id: `cgt-20260606160057-${String(tasks.length + removed.length).padStart(5, "a")}`,
      body,
      createdAt,
      status: "queued",
      seconds: 5
    }
    tasks.push(task)
    return task
  }

  const create = async (body: JsonObject): Promise<Response> => {
    const prompt = JSON.stringify(body["content"])
    const [, status, code] = /refuse:(\d{3})\/([\w.]+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), code ?? "")
    if (prompt.includes("reset")) return hangUp()
    if (isWrong(body)) return refusal(400, "InvalidParameter")
    const { id } = add(body)
    if (prompt.includes("drop")) return hangUp()
    if (prompt.includes("mute")) return new Promise(() => {})
    if (prompt.includes("nameless")) return Response.json({})
    return Response.json({ id })
  }

  const list = (query: URLSearchParams): Response => {
    const page = Number(query.get("page_num") ?? 1)
    const size = Number(query.get("page_size") ?? 10)
    const model = query.get("filter.model")
    const found = tasks.filter(({ body }) => model === null || body["model"] === model).toReversed()
    return Response.json(
      { total: found.length, items: found.slice((page - 1) * size, page * size).map(record) },
      { headers: { date: new Date(clockMs()).toUTCString() } }
    )
  }

  const remove = (task: ArkTask): Response => {
    if (task.status === "running") return refusal(409, "InvalidAction.RunningTaskDeletion")
    if (task.status === "cancelled") return refusal(409, "InvalidAction.CancelledTaskDeletion")
    if (task.status === "queued") task.status = "cancelled"
    else removed.push(...tasks.splice(tasks.indexOf(task), 1))
    return Response.json({})
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const url = new URL(request.url)
      const text = await request.text()
      const body = text === "" ? undefined : (JSON.parse(text) as JsonObject)
      calls.push({
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        headers: Object.fromEntries(request.headers),
        body
      })
      const override = overrides.shift()
      if (override !== undefined) return override()
      if (request.headers.get("authorization") !== `Bearer ${arkKey}`) return refusal(401, "AuthenticationError")
      if (url.pathname === tasksPath) return body === undefined ? list(url.searchParams) : create(body)
      const task = tasks.find(({ id }) => `${tasksPath}/${id}` === url.pathname)
      if (task === undefined) return refusal(404, "ResourceNotFound")
      return request.method === "DELETE" ? remove(task) : Response.json(record(task))
    }
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/api/v3`,
    tasks,
    removed,
    calls,
    bill: () => tasks.filter(({ status }) => status === "succeeded").map(lineOf),
    add,
    next: (answer: () => Response) => void overrides.push(answer),
    move: (id: string, status: string, error?: ArkTask["error"], seconds = 5) => {
      const task = tasks.find((one) => one.id === id)!
      task.status = status
      task.seconds = seconds
      if (error !== undefined) task.error = error
    },
    stop: () => server.stop(true)
  }
}

export const arkKey = "ark-planted-secret"

/** A body that ends before the length it promised: the client sees a broken connection. */
const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

export const refusal = (status: number, code: string): Response =>
  Response.json(
    {
      error: {
        code,
        message: `the parameter duration specified in the request is not valid for ${arkKey} Request id: 0217`,
        param: "duration",
        type: "BadRequest"
      }
    },
    { status, headers: status === 429 ? { "retry-after": "7" } : {} }
  )

/** Of 720p: 900 a frame, the first one included. */
const tokensOf = (seconds: number, size = 1280 * 720) => Math.round((size / 1024) * (24 * seconds + 1))

/** Of 16:9, in the document's table. */
const sizes: Readonly<Record<string, number>> = {
  "480p": 864 * 496,
  "720p": 1280 * 720,
  "1080p": 1920 * 1080,
  "4k": 3840 * 2160
}

/** The models' table in Ark's document of creates; an unknown model takes anything. */
const modelTable: ReadonlyArray<
  readonly [
    RegExp,
    {
      readonly lengths: readonly [number, number]
      readonly sizes: string
      readonly frames: number
      readonly references: number
    }
  ]
> = [
  [/seedance-2-5/, { lengths: [4, 30], sizes: "480p 720p 1080p", frames: 2, references: 30 }],
  [/seedance-2-0-(fast|mini)/, { lengths: [4, 15], sizes: "480p 720p", frames: 2, references: 9 }],
  [/doubao-seedance-2-0/, { lengths: [4, 15], sizes: "480p 720p 1080p 4k", frames: 2, references: 9 }],
  [/seedance-2-0/, { lengths: [4, 15], sizes: "480p 720p 1080p", frames: 2, references: 9 }],
  [/seedance-1-5-pro/, { lengths: [4, 12], sizes: "480p 720p 1080p", frames: 2, references: 0 }],
  [/seedance-1-0-pro-fast/, { lengths: [2, 12], sizes: "480p 720p 1080p", frames: 1, references: 0 }],
  [/seedance-1-0-pro/, { lengths: [2, 12], sizes: "480p 720p 1080p", frames: 2, references: 0 }],
  [/seedance-1-0-lite-t2v/, { lengths: [2, 12], sizes: "480p 720p 1080p", frames: 0, references: 0 }],
  [/seedance-1-0-lite/, { lengths: [2, 12], sizes: "480p 720p 1080p", frames: 2, references: 4 }]
]

const isWrong = (body: JsonObject): boolean => {
  const model = String(body["model"])
  const row = modelTable.find(([named]) => named.test(model))?.[1]
  const parts = body["content"] as ReadonlyArray<{ readonly type: string; readonly role?: string }>
  if (row === undefined || parts.some(({ type }) => type === "draft_task")) return false
  const { duration, frames, resolution } = body as { duration?: number; frames?: number; resolution?: string }
  const of = (...roles: ReadonlyArray<string>) => parts.filter(({ role }) => roles.includes(role ?? "")).length
  const [least, most] = row.lengths
  const isOpen = duration === -1 && !/seedance-1-0/.test(model)
  const references = of("reference_image")
  const isLite = model.includes("1-0-lite-i2v")
  return (
    (duration !== undefined &&
      duration !== null &&
      frames === undefined &&
      !isOpen &&
      (duration < least || duration > most)) ||
    (resolution !== undefined && !row.sizes.split(" ").includes(resolution)) ||
    of("first_frame", "last_frame") > row.frames ||
    references > row.references ||
    (row.references < 9 && of("reference_video", "reference_audio") > 0) ||
    (isLite && (parts.every(({ type }) => type === "text") || (references > 0 && resolution === "1080p")))
  )
}

interface Asked {
  readonly content: ReadonlyArray<{ readonly video_url?: { readonly url: string } }>
  readonly resolution?: string
  readonly duration?: number
}

/** A model that chooses makes seven seconds. */
const measured = (body: JsonObject) => {
  const { content, duration = -1, resolution = "720p" } = body as unknown as Asked
  const seconds = duration === -1 ? 7 : duration
  const input = sumOf(content.map(({ video_url }) => secondsOf(video_url?.url ?? "")))
  return { resolution, seconds, input, tokens: tokensOf(input + seconds, sizes[resolution]) }
}

/** Of volcengine.com/docs/82379/1544106: tokens of input videos and of those made. */
const lineOf = ({ body }: ArkTask): BillLine => {
  const { input, resolution, tokens } = measured(body)
  return {
    model: String(body["model"]),
    tokens,
    resolution,
    hasVideoInput: input > 0,
    hasSound: body["generate_audio"] !== false,
    tier: body["service_tier"] === "flex" ? "flex" : "default"
  }
}

/** A record as the service answers it in every state; `media` is where its links lead. */
const recordWith =
  (media: string, measures: boolean) =>
  ({ body, createdAt, error, id, seconds: told, status }: ArkTask): JsonObject => {
    const { resolution, seconds, tokens } = measures
      ? measured(body)
      : { resolution: "720p", seconds: told, tokens: tokensOf(told) }
    return {
      id,
      model: body["model"],
      status,
      ...(status === "succeeded" && {
        content: {
          video_url: `${media}/${id}.mp4`,
          ...(body["return_last_frame"] === true && { last_frame_url: `${media}/${id}.png` })
        },
        usage: { completion_tokens: tokens, total_tokens: tokens, ...(!measures && { tool_usage: { web_search: 1 } }) },
        seed: measures && typeof body["seed"] === "number" && body["seed"] >= 0 ? body["seed"] : 78_674,
        resolution,
        ratio: "16:9",
        duration: seconds,
        framespersecond: 24,
        revised_prompt: "A cat, in detail"
      }),
      ...(status === "failed" && { error }),
      created_at: createdAt,
      updated_at: createdAt + 1,
      service_tier: body["service_tier"] ?? "default",
      execution_expires_after: body["execution_expires_after"] ?? 172_800,
      generate_audio: body["generate_audio"] ?? true,
      draft: false,
      priority: 0,
      ...(typeof body["safety_identifier"] === "string" && { safety_identifier: body["safety_identifier"] })
    }
  }
