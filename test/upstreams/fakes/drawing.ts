import { geminiComplaint } from "./geminiRules.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

const ratios = new Set(["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"])
const imagenRatios = new Set(["1:1", "3:4", "4:3", "9:16", "16:9"])
const xaiRatios = new Set([...ratios, "1:2", "2:1", "9:19.5", "19.5:9", "9:20", "20:9", "auto"])
const readable = /^image\/(?:png|jpeg|webp|heic|heif)$/

const unknownIn = (value: Any, known: ReadonlyArray<string>): string | undefined => {
  const name = Object.keys(value ?? {}).find((key) => !known.includes(key))
  return name === undefined ? undefined : `Invalid JSON payload received. Unknown name "${name}"`
}

/** Google's refusal of a request for images; undefined where it takes it. */
const drawingComplaint = (model: string, body: Any, isVertex: boolean): string | undefined => {
  const { imageConfig, responseModalities } = body.generationConfig ?? {}
  const inline: ReadonlyArray<Any> = body.contents.flatMap(({ parts }: Any) =>
    parts.flatMap(({ inlineData }: Any) => inlineData ?? [])
  )
  const strange = inline.find(({ mimeType }) => !readable.test(mimeType))
  const wrong =
    geminiComplaint(body, model) ??
    unknownIn(imageConfig, ["aspectRatio", "imageSize", ...(isVertex ? ["imageOutputOptions"] : [])])
  if (wrong !== undefined) return wrong
  if (strange !== undefined) return `Unsupported MIME type: ${strange.mimeType}`
  if (!model.includes("image")) return "This model only supports text output."
  if (isVertex && !responseModalities.includes("TEXT")) return "Image-only output is not allowed."
  if (imageConfig?.aspectRatio !== undefined && !ratios.has(imageConfig.aspectRatio)) return "aspect_ratio: invalid"
  if (imageConfig?.imageSize === undefined) return undefined
  if (/gemini-2/.test(model)) return "image_size is not supported for this model."
  return ["1K", "2K", "4K"].includes(imageConfig.imageSize) ? undefined : "image_size: invalid"
}

const imagenFields = ["sampleCount", "aspectRatio", "sampleImageSize", "outputOptions", "includeRaiReason"]

const imagenComplaint = ({ instances, parameters, ...rest }: Any): string | undefined => {
  const wrong = unknownIn(rest, ["labels"]) ?? unknownIn(parameters, imagenFields)
  if (wrong !== undefined) return wrong
  if (instances?.length !== 1 || typeof instances[0].prompt !== "string") return "instances: expected one prompt"
  const { aspectRatio = "1:1", outputOptions, sampleCount = 1, sampleImageSize = "1K" } = parameters ?? {}
  if (!(sampleCount >= 1 && sampleCount <= 4)) return `sampleCount ${sampleCount} is not supported.`
  if (!imagenRatios.has(aspectRatio)) return `aspectRatio ${aspectRatio} is not supported.`
  if (!["1K", "2K"].includes(sampleImageSize)) return `sampleImageSize ${sampleImageSize} is not supported.`
  return unknownIn(outputOptions, ["mimeType", "compressionQuality"])
}

export const drawnImage = Buffer.from("a picture").toString("base64")
const inlineData = { mimeType: "image/png", data: drawnImage }

const usageMetadata = {
  promptTokenCount: 300,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 42 },
    { modality: "IMAGE", tokenCount: 258 }
  ],
  candidatesTokenCount: 1_300,
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  thoughtsTokenCount: 100,
  totalTokenCount: 1_700
}

const candidates = (finishReason: string, parts: ReadonlyArray<object>) => [
  { content: { role: "model", parts }, finishReason }
]

/** Answers by the last text. */
const generated: Readonly<Record<string, object>> = {
  blocked: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 20 } },
  unsafe: { candidates: candidates("IMAGE_SAFETY", []), usageMetadata },
  words: { candidates: candidates("STOP", [{ text: "I'd rather not." }]), usageMetadata }
}
const usual = {
  candidates: candidates("STOP", [
    { thought: true, inlineData: { mimeType: "image/png", data: "ZHJhZnQ=" } },
    { text: "Here it is." },
    { inlineData }
  ]),
  usageMetadata
}

const predictions = (prompt: string, count: number) => {
  const filtered = { raiFilteredReason: "Unable to show generated images. Support codes: 39322237" }
  if (prompt === "unsafe") return [filtered]
  const made = { mimeType: "image/png", bytesBase64Encoded: drawnImage, prompt: `${prompt}, in oil` }
  return Array.from({ length: count }, (_, index) => (prompt === "partly" && index === 0 ? filtered : made))
}

const methods =
  /^\/(v1beta|v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google)\/models\/([^/:]+):(\w+)$/

/** Google's models that draw, at its API and at Vertex. Refuses what they refuse. */
export const fakeGoogleImages = (asked: Array<{ readonly path: string; readonly body: Any }>) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      const body: Any = await request.json()
      asked.push({ path, body })
      const [, base, model = "", method] = methods.exec(path) ?? []
      const refused = (message: string) =>
        Response.json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, { status: 400 })
      if (method === "predict") {
        const complaint = model.includes("imagen") ? imagenComplaint(body) : "not supported by the predict API"
        if (complaint !== undefined) return refused(complaint)
        return Response.json({ predictions: predictions(body.instances[0].prompt, body.parameters.sampleCount ?? 1) })
      }
      if (method !== "generateContent") return Response.json({}, { status: 404 })
      const complaint = drawingComplaint(model, body, base !== "v1beta")
      if (complaint !== undefined) return refused(complaint)
      return Response.json(generated[body.contents.at(-1).parts.at(-1).text] ?? usual)
    }
  })

/** xAI's. Refuses forms, masks, and ratios that it does not have. */
export const fakeXaiImages = (asked: Array<{ readonly path: string; readonly body: Any }>) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      const refused = (error: string) =>
        Response.json({ code: "Client specified an invalid argument", error }, { status: 400 })
      if (request.headers.get("content-type") !== "application/json") return refused("Expected request with JSON")
      const body: Any = await request.json()
      asked.push({ path, body })
      const own = ["model", "prompt", "n", "quality", "response_format", "aspect_ratio", "resolution", "user"]
      const isEdit = path.endsWith("/edits")
      const wrong = unknownIn(body, isEdit ? [...own, "image", "images"] : own)
      if (wrong !== undefined) return refused(wrong)
      if (body.aspect_ratio !== undefined && !xaiRatios.has(body.aspect_ratio)) return refused("aspect_ratio")
      if (!["1k", "2k", undefined].includes(body.resolution)) return refused("resolution")
      const pictures = [body.image ?? body.images ?? []].flat()
      if (isEdit && (pictures.length === 0 || pictures.some(({ type, url }) => type !== "image_url" || !url))) {
        return refused("image")
      }
      const image = body.response_format === "b64_json" ? { b64_json: drawnImage } : { url: "https://imgen.x.ai/a.jpg" }
      return Response.json({
        data: Array.from({ length: body.n ?? 1 }, () => ({ ...image, revised_prompt: "" })),
        usage: { cost_in_usd_ticks: 200_000_000 * (body.n ?? 1) }
      })
    }
  })
