import { createHmac } from "node:crypto"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { secondsOver } from "./bill.ts"
import type { BillLine } from "./bill.ts"

export interface KlingTask {
  readonly id: string
  readonly endpoint: string
  readonly body: JsonObject
  status: string
  message?: string
}

const accessKey = "kling-planted-access"
const secretKey = "kling-planted-secret"
export const klingKey = `${accessKey}:${secretKey}`

/**
 * Kling's videos as a real HTTP server, after "General Info", "Text to Video" and "Image to Video" of
 * app.klingai.com/global/dev/document-api, read in November 2026; there is no library. Errors are codes, here inside a 200. A prompt
 * drives it, as Ark's fake.
 */
export const fakeKling = ({ media = "https://media.example.com" }: { readonly media?: string } = {}) => {
  const record = recordWith(media)
  const tasks: Array<KlingTask> = []

  const create = (endpoint: string, body: JsonObject): Response => {
    const prompt = JSON.stringify(body)
    const [, code] = /refuse:(\d+)/.exec(prompt) ?? []
    if (code !== undefined) return refusal(Number(code))
    const isTaken = tasks.some((one) => one.body["external_task_id"] === body["external_task_id"])
    if (isTaken || isWrong(endpoint, body)) return refusal(1201)
    const task: KlingTask = { id: String(867_283_741 + tasks.length), endpoint, body, status: "submitted" }
    tasks.push(task)
    return prompt.includes("drop") ? hangUp() : answer(record(task))
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request): Promise<Response> => {
      if (!isSigned(request.headers.get("authorization") ?? "")) return refusal(1002)
      const [, endpoint = "", id] = /^\/v1\/videos\/([\w-]+)(?:\/([\w-]+))?$/.exec(new URL(request.url).pathname) ?? []
      if (request.method === "POST") return create(endpoint, (await request.json()) as JsonObject)
      const task = tasks.find((one) => one.endpoint === endpoint && [one.id, one.body["external_task_id"]].includes(id))
      return task === undefined ? refusal(1203) : answer(record(task))
    }
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    tasks,
    bill: () => tasks.filter(({ status }) => status === "succeed").map(lineOf),
    move: (id: string, status: string, message?: string) => {
      Object.assign(tasks.find((one) => id.endsWith(one.id)) ?? {}, {
        status,
        ...(message !== undefined && { message })
      })
    },
    stop: () => server.stop(true)
  }
}

/** The capability map of Kling's document: what a version can't do in a mode, at an endpoint. */
const isWrong = (endpoint: string, body: JsonObject): boolean => {
  const { duration, image_tail, mode, model_name: model, sound } = body as Readonly<Record<string, string | undefined>>
  const version = /^kling-(v\d(?:-\d)?)/.exec(model ?? "")?.[1] ?? ""
  const isMaster = model?.endsWith("-master") === true
  const isNew = version === "v3"
  if (!(isNew ? /^([3-9]|1[0-5])$/ : /^(5|10)$/).test(duration ?? "")) return true
  if (!["std", "pro", ...(isNew ? ["4k"] : [])].includes(mode ?? "") || (isMaster && mode !== "pro")) return true
  if (sound === "on" && !isNew && (version !== "v2-6" || mode !== "pro" || image_tail !== undefined)) return true
  if (image_tail !== undefined && (isMaster || (!isNew && version !== "v1" && mode !== "pro"))) return true
  if (endpoint === "text2video") return !isMaster && ["v2-1", "v1-5"].includes(version)
  const images = body["image_list"] as ReadonlyArray<unknown> | undefined
  return endpoint === "multi-image2video" && (version !== "v1-6" || (images?.length ?? 0) > 4)
}

const recordWith =
  (media: string) =>
  ({ body, id, message, status }: KlingTask): JsonObject => ({
    task_id: id,
    task_status: status,
    ...(message !== undefined && { task_status_msg: message }),
    task_info: { external_task_id: body["external_task_id"] },
    created_at: 1_774_805_076_166,
    ...(status === "succeed" && {
      task_result: {
        videos: [{ id: "v", url: `${media}/${id}.mp4`, duration: `${secondsMade(body)}.042` }]
      }
    })
  })

const secondsMade = (body: JsonObject): number => Number(body["duration"]) + secondsOver(body)

/** By mode, length and sound. */
const lineOf = ({ body }: KlingTask): BillLine => ({
  model: String(body["model_name"]),
  seconds: secondsMade(body),
  resolution: { std: "720p", pro: "1080p" }[String(body["mode"])] ?? "4k",
  hasVideoInput: false,
  hasSound: body["sound"] === "on",
  tier: "default"
})

/** As the document's own example makes tokens. */
const isSigned = (authorization: string): boolean => {
  const [head = "", claims = "", signature] = authorization.replace(/^Bearer /, "").split(".")
  const expected = createHmac("sha256", secretKey).update(`${head}.${claims}`).digest("base64url")
  if (signature !== expected) return false
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as JsonObject
  const { exp, iss, nbf } = read(claims) as { exp: number; iss: string; nbf: number }
  const now = Date.now() / 1_000
  return read(head)["alg"] === "HS256" && iss === accessKey && nbf < now && now < exp && exp - now <= 1_800
}

const answer = (data: JsonObject) =>
  Response.json({ code: 0, message: "SUCCEED", request_id: "c0656403-1e6e-4b7e-b8f8-2cdd2595f2b9", data })

const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

const refusal = (code: number) =>
  Response.json({ code, message: `no: ${secretKey}`, request_id: "c0656403-1e6e-4b7e-b8f8-2cdd2595f2b9" })
