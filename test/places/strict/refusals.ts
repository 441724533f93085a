import { complaints } from "./complaints.ts"
import { places } from "./rule.ts"
import type { Any, Ask, Place, Refusal } from "./rule.ts"
import { fresh } from "./said.ts"

type Shape = (
  refusal: Refusal,
  ask: Ask,
  id: string
) => { readonly status: number; readonly headers?: Record<string, string>; readonly body: Any }

const anthropicShape: Shape = ({ says, status = 400, type = "invalid_request_error" }, _, id) => ({
  status,
  headers: { "request-id": id },
  body: { type: "error", error: { type, message: says }, request_id: id }
})
const awsShape: Shape = ({ says, status = 400, type = "ValidationException" }, ask, id) => ({
  status,
  headers: { "x-amzn-errortype": type.endsWith("Exception") ? type : "ValidationException", "x-amzn-requestid": id },
  body: {
    message:
      ask.place === "bedrock-converse" && isModels(says) ? `The model returned the following errors: ${says}` : says
  }
})
const isModels = (says: string): boolean =>
  /^(`|thinking|adaptive|temperature:|Thinking may|A maximum of|This model does not support assistant|invalid beta|"thinking|max_tokens)/.test(
    says
  )
const openaiShape: Shape = (
  { code = "invalid_value", param = null as never, says, status = 400, type = "invalid_request_error" },
  _,
  id
) => ({ status, headers: { "x-request-id": id }, body: { error: { message: says, type, param, code } } })
const googleShape: Shape = ({ says, status = 400 }) => ({
  status,
  body: { error: { code: status, message: says, status: "INVALID_ARGUMENT" } }
})
const shapes: Readonly<Record<Place, Shape>> = {
  anthropic: anthropicShape,
  "bedrock-mantle": anthropicShape,
  "vertex-claude": anthropicShape,
  "foundry-claude": anthropicShape,
  "bedrock-invoke": awsShape,
  "bedrock-converse": awsShape,
  "openai-responses": openaiShape,
  "openai-chat": openaiShape,
  "azure-responses": openaiShape,
  "azure-chat": openaiShape,
  gemini: googleShape,
  "vertex-gemini": googleShape,
  deepseek: openaiShape,
  groq: ({ says, status = 400 }) => ({ status, body: { error: { message: says, type: "invalid_request_error" } } }),
  mistral: ({ code = null, loc, says, status = 400, type = "invalid_request_error" }) => ({
    status,
    body:
      loc === undefined
        ? { object: "error", message: says, type, param: null, code, raw_status_code: status }
        : { detail: [{ type, loc, msg: says, input: null }] }
  }),
  xai: ({ says, status = 400 }) => ({ status, body: { code: "Client specified an invalid argument", error: says } }),
  cerebras: ({ says, status = 400 }) => ({
    status,
    body: { message: says, type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" }
  }),
  vllm: ({ says, status = 400 }) => ({
    status,
    body: { error: { message: says, type: "BadRequestError", param: null, code: status } }
  }),
  ollama: ({ says, status = 400 }) => ({
    status,
    body: { error: { message: says, type: "invalid_request_error", param: null, code: null } }
  })
}

/** The place that a path stands for, where none is named. */
const placeOfPath = (path: string): Place | undefined => {
  if (/\/model\/[^/]+\/converse/.test(path)) return "bedrock-converse"
  if (/\/model\/[^/]+\/(invoke|count-tokens)/.test(path)) return "bedrock-invoke"
  if (/publishers\/anthropic\/|:(stream)?rawPredict/i.test(path)) return "vertex-claude"
  if (/publishers\/google\//.test(path)) return "vertex-gemini"
  if (/:(streamG|g)enerateContent|:countTokens/.test(path)) return "gemini"
  if (/\/messages/.test(path)) return "anthropic"
  if (/\/responses/.test(path)) return "openai-responses"
  return /\/chat\/completions/.test(path) ? "openai-chat" : undefined
}

/** What was asked: the place is the first segment of the path (`/groq/v1/…`), or `fixed`, or seen by the path. */
export const askOf = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  raw: string,
  fixed?: Place
): Ask | undefined => {
  const [, first = "", ...rest] = url.pathname.split("/")
  const isNamed = (places as ReadonlyArray<string>).includes(first)
  const path = isNamed ? `/${rest.join("/")}` : url.pathname
  const place = isNamed ? (first as Place) : (fixed ?? placeOfPath(path))
  if (place === undefined) return undefined
  let body: Any
  try {
    body = JSON.parse(raw)
  } catch {
    return undefined
  }
  if (path.endsWith("/count-tokens") && body?.input?.invokeModel?.body !== undefined)
    body = JSON.parse(Buffer.from(body.input.invokeModel.body, "base64").toString())
  if (path.endsWith(":countTokens")) body = body?.generateContentRequest ?? body
  const inPath =
    /\/model\/([^/]+)\//.exec(path)?.[1] ??
    /models\/([^/:]+):/.exec(path)?.[1] ??
    /deployments\/([^/]+)\//.exec(path)?.[1]
  const written =
    body?.anthropic_beta ??
    body?.additionalModelRequestFields?.anthropic_beta ??
    headers["anthropic-beta"]?.split(",") ??
    []
  return {
    place,
    path,
    query: url.searchParams,
    headers,
    body,
    bytes: raw.length,
    model: String(inPath === undefined ? (body?.model ?? "") : decodeURIComponent(inPath)),
    stream: body?.stream === true || /stream/i.test(path),
    betas: (Array.isArray(written) ? written : []).map((beta) => String(beta).trim()).filter((beta) => beta !== "")
  }
}

/** The first thing that the place refuses, and all others; undefined where it takes the request. */
export const refusalOf = (ask: Ask, without: ReadonlySet<string> = new Set()) => {
  const all = complaints(ask).filter(({ rule }) => !without.has(rule.id))
  return all[0] === undefined ? undefined : { first: all[0], all, status: shapeOf(ask, all[0]).status }
}

const shapeOf = (ask: Ask, refusal: Refusal) => shapes[ask.place](refusal, ask, fresh("req_strict_"))

/** A refusal in the form of the place. */
export const refuse = (ask: Ask, refusal: Refusal): Response => {
  const { body, headers, status } = shapeOf(ask, refusal)
  return Response.json(body, { status, ...(headers !== undefined && { headers }) })
}
