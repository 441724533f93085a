import type { JsonObject } from "../../../src/contract/fields.ts"
import type { BillLine } from "./bill.ts"

export interface SoraVideo {
  readonly id: string
  readonly form: Readonly<Record<string, string>>
  /** What `input_reference` was as a file. */
  readonly file: { readonly type: string; readonly bytes: string } | undefined
  readonly createdAt: number
  status: string
  error?: { readonly code: string; readonly message: string }
}

export const soraKey = "sk-planted-secret"

/**
 * OpenAI's videos as a real HTTP server. A prompt drives it: `refuse:400/moderation_blocked` answers so, `drop` takes
 * the video and closes without an answer, `mute` takes it and never answers.
 */
export const fakeSora = () => {
  const made: Array<SoraVideo> = []
  /** Videos that a DELETE removed. Their ids are not given again. */
  const deleted: Array<SoraVideo> = []
  const calls: Array<{ readonly method: string; readonly path: string; readonly search: string }> = []
  /** Answers the next call to a path that ends so, in place of the service. */
  const overrides: Array<{ readonly end: string; readonly answer: () => Response }> = []

  const create = async (form: FormData): Promise<Response> => {
    const reference = form.get("input_reference")
    const texts = [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))
    const fields = Object.fromEntries(texts)
    const prompt = fields["prompt"] ?? ""
    const [, status, code] = /refuse:(\d{3})\/(\w+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), code ?? "")
    if (!["4", "8", "12"].includes(fields["seconds"] ?? "")) return refusal(400, "invalid_value")
    if (!sizesOf(fields["model"] ?? "").includes(fields["size"] ?? "")) return refusal(400, "invalid_value")
    const video: SoraVideo = {
      id: `video_${String(made.length + deleted.length).padStart(48, "0")}`,
      form: fields,
      file: reference instanceof File ? { type: reference.type, bytes: await reference.text() } : undefined,
      createdAt: Math.floor(Date.now() / 1_000),
      status: "queued"
    }
    made.push(video)
    if (prompt.includes("drop")) {
      return new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))
    }
    if (prompt.includes("mute")) return new Promise(() => {})
    return Response.json(record(video))
  }

  const list = (query: URLSearchParams): Response => {
    const newest = made.toReversed()
    const after = newest.findIndex(({ id }) => id === query.get("after"))
    const limit = Number(query.get("limit") ?? 20)
    const data = newest.slice(after + 1, after + 1 + limit)
    return Response.json({
      object: "list",
      data: data.map(record),
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: after + 1 + limit < newest.length
    })
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const { pathname, search, searchParams } = new URL(request.url)
      calls.push({ method: request.method, path: pathname, search })
      const override = overrides[0]
      if (override !== undefined && pathname.endsWith(override.end)) {
        overrides.shift()
        return override.answer()
      }
      if (request.headers.get("authorization") !== `Bearer ${soraKey}`) return refusal(401, "invalid_api_key")
      if (pathname === "/v1/videos") {
        return request.method === "POST" ? create(await request.formData()) : list(searchParams)
      }
      const [, id, content] = /^\/v1\/videos\/(\w+)(\/content)?$/.exec(pathname) ?? []
      const video = made.find((one) => one.id === id)
      if (video === undefined) return refusal(404, "not_found")
      if (content !== undefined) {
        return video.status === "completed" ? new Response(fileOf(video.id)) : refusal(404, "not_ready")
      }
      if (request.method !== "DELETE") return Response.json(record(video))
      if (video.status !== "queued") return refusal(400, "invalid_state")
      deleted.push(...made.splice(made.indexOf(video), 1))
      return Response.json({ id, object: "video.deleted", deleted: true })
    }
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    made,
    deleted,
    calls,
    bill: () => made.filter(({ status }) => status === "completed").map(lineOf),
    next: (end: string, answer: () => Response) => void overrides.push({ end, answer }),
    move: (id: string, status: string, error?: SoraVideo["error"]) => {
      const video = made.find((one) => one.id === id)!
      video.status = status
      if (error !== undefined) video.error = error
    },
    stop: () => server.stop(true)
  }
}

const sizesOf = (model: string) => [
  "1280x720",
  "720x1280",
  ...(model === "sora-2-pro" ? ["1792x1024", "1024x1792"] : [])
]

/** A size's shorter side is its resolution. */
const lineOf = ({ form }: SoraVideo): BillLine => ({
  model: form["model"] ?? "",
  seconds: Number(form["seconds"]),
  resolution: `${Math.min(...(form["size"] ?? "").split("x").map(Number))}p`,
  hasVideoInput: false,
  hasSound: true,
  tier: "default"
})

/** 3 MB that nothing else has, and that begin as an MP4 does. */
export const fileOf = (id: string): Buffer<ArrayBuffer> => {
  const file = Buffer.alloc(3_000_000, `the video ${id}; `)
  file.write("\0\0\0\x18ftypisom")
  return file
}

const refusal = (status: number, code: string): Response =>
  Response.json(
    { error: { message: `no: ${soraKey}`, type: "invalid_request_error", param: "prompt", code } },
    { status, headers: status === 429 ? { "retry-after": "7" } : {} }
  )

const record = ({ createdAt, error, form, id, status }: SoraVideo): JsonObject => ({
  id,
  object: "video",
  created_at: createdAt,
  completed_at: status === "completed" ? createdAt + 1 : null,
  expires_at: null,
  error: error ?? null,
  model: form["model"],
  progress: status === "completed" ? 100 : 0,
  prompt: form["prompt"],
  remixed_from_video_id: null,
  seconds: form["seconds"],
  size: form["size"],
  status
})
