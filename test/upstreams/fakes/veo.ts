import type { JsonObject } from "../../../src/contract/fields.ts"
import type { BillLine } from "./bill.ts"
import { clipOf } from "./clip.ts"

export interface VeoOperation {
  readonly name: string
  readonly body: JsonObject
  done: boolean
  error?: JsonObject
  filtered?: string
}

export const veoKey = "google-planted-secret"

/**
 * Google's Veo as a real HTTP server, at its API (`/v1beta/models/…`) and at Vertex (`/v1/…/publishers/google/models/…`).
 * `@google/genai` creates at Vertex and asks at both; it creates no videos at Google's API any more, whose create is written
 * after ai.google.dev/gemini-api/docs/video. A prompt drives it, as Ark's fake.
 */
export const fakeVeo = () => {
  const operations: Array<VeoOperation> = []
  /** Answers with a file, or with one inside. */
  let filesSent = 0

  const create = (place: string, model: string, body: JsonObject): Response => {
    const prompt = JSON.stringify(body)
    const [, status, code] = /refuse:(\d{3})\/(\w+)/.exec(prompt) ?? []
    if (status !== undefined) return refusal(Number(status), code ?? "")
    if (isWrong(model, body)) return refusal(400, "INVALID_ARGUMENT")
    const name = `${place}models/${model}/operations/op${operations.length}`
    operations.push({ name, body, done: false })
    return prompt.includes("drop") ? hangUp() : Response.json({ name })
  }

  const record = ({ done, error, filtered, name }: VeoOperation, isVertex: boolean): JsonObject => {
    if (!done) return { name }
    if (error !== undefined) return { name, done, error }
    if (filtered !== undefined) {
      const kept = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [filtered] }
      return { name, done, response: isVertex ? kept : { generateVideoResponse: kept } }
    }
    if (isVertex) {
      filesSent++
      const bytesBase64Encoded = clipOf(name).toString("base64")
      return {
        name,
        done,
        response: { raiMediaFilteredCount: 0, videos: [{ bytesBase64Encoded, mimeType: "video/mp4" }] }
      }
    }
    const uri = `https://generativelanguage.googleapis.com/v1beta/files/${fileOf(name)}:download?alt=media`
    return { name, done, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } }
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (request.headers.get("x-goog-api-key") !== veoKey) return refusal(401, "UNAUTHENTICATED")
      const [, file] = /^\/v1beta\/files\/(\w+):download$/.exec(pathname) ?? []
      if (file !== undefined) {
        filesSent++
        return new Response(clipOf(file))
      }
      const text = await request.text()
      const body = text === "" ? {} : (JSON.parse(text) as JsonObject)
      const isVertex = pathname.includes("/publishers/google/")
      const [, model = "", method] = /\/models\/([^/:]+):(\w+)$/.exec(pathname) ?? []
      if (method === "predictLongRunning") {
        return create(isVertex ? "projects/p/locations/l/publishers/google/" : "", model, body)
      }
      const name = method === "fetchPredictOperation" ? body["operationName"] : pathname.replace(/^\/v1(?:beta)?\//, "")
      const operation = operations.find((one) => one.name === name)
      return operation === undefined ? refusal(404, "NOT_FOUND") : Response.json(record(operation, isVertex))
    }
  })
  const origin = `http://127.0.0.1:${server.port}`
  return {
    origin,
    baseUrl: `${origin}/v1beta`,
    vertexUrl: `${origin}/v1/projects/p/locations/l/publishers/google`,
    operations,
    filesSent: () => filesSent,
    bill: () =>
      operations
        .filter(({ done, error, filtered }) => done && error === undefined && filtered === undefined)
        .map(lineOf),
    end: (name: string, more: Partial<VeoOperation> = {}) => {
      Object.assign(operations.find((one) => one.name === name) ?? {}, { done: true, ...more })
    },
    stop: () => server.stop(true)
  }
}

interface Instance {
  readonly image?: unknown
  readonly lastFrame?: unknown
  readonly referenceImages?: ReadonlyArray<unknown>
}

/** The table of parameters of ai.google.dev/gemini-api/docs/video. */
const isWrong = (model: string, body: JsonObject): boolean => {
  const { aspectRatio, durationSeconds, resolution } = body["parameters"] as Parameters
  const [{ image, lastFrame, referenceImages = [] } = {}] = body["instances"] as ReadonlyArray<Instance>
  const [, version = "3.1"] = /veo-(\d(?:\.\d)?)/.exec(model) ?? []
  const isFull = Number(version) >= 3.1 && !model.includes("lite")
  const lengths = version.startsWith("2") ? [5, 6, 7, 8] : [4, 6, 8]
  const resolutions = version.startsWith("2") ? ["720p"] : ["720p", "1080p", ...(isFull ? ["4k"] : [])]
  if (!lengths.includes(durationSeconds) || !resolutions.includes(resolution)) return true
  if (durationSeconds !== 8 && (resolution !== "720p" || referenceImages.length > 0)) return true
  if (referenceImages.length > (isFull ? 3 : 0)) return true
  if (lastFrame !== undefined && (image === undefined || version.startsWith("3.0"))) return true
  return aspectRatio !== "16:9" && aspectRatio !== "9:16"
}

/** Sound is always on at Google's API, and asked for at Vertex. */
const lineOf = ({ body, name }: VeoOperation): BillLine => {
  const { durationSeconds, generateAudio, resolution } = body["parameters"] as Parameters
  return {
    model: /models\/([^/]+)/.exec(name)?.[1] ?? "",
    seconds: durationSeconds,
    resolution,
    hasVideoInput: false,
    hasSound: generateAudio !== false,
    tier: "default"
  }
}

interface Parameters {
  readonly aspectRatio: string
  readonly durationSeconds: number
  readonly generateAudio?: boolean
  readonly resolution: string
}

export const fileOf = (name: string) => name.replaceAll(/\W/g, "")

const hangUp = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))

const refusal = (code: number, status: string): Response =>
  Response.json(
    {
      error: {
        code,
        message: `no: ${veoKey}`,
        status,
        ...(code === 429 && { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }] })
      }
    },
    { status: code }
  )
