import { isSigned, signerIn } from "../../e2e/clouds/sigV4.ts"
import { anthropic } from "./anthropic.ts"
import { awsEvent, awsException } from "./awsMessage.ts"
import { converseAnswer, converseEvents } from "./converse.ts"
import { placeComplaint } from "./claudePlaces.ts"
import type { Scenario } from "./scenarios.ts"
import { scenarios } from "./scenarios.ts"
import type { Playing } from "./fakeUpstream.ts"
import { shownCall } from "./shownCall.ts"
import { complaint } from "./strict.ts"
import { converseComplaint } from "./strictConverse.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

export const bedrockKeys = { accessKeyId: "AKIABEDROCK000000001", secretAccessKey: "bedrock-secret-0123456789" }
export const bedrockKey = "bedrock-api-key-0123456789"

/** A call as it came. */
export interface BedrockCall {
  readonly path: string
  readonly headers: Headers
  readonly body: Any
  /** Who called. */
  readonly by: "signature" | "key"
}

/** The error that a request asks for: `fails:ThrottlingException`. */
const errors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ValidationException: [400, "messages: too few of them"],
  ServiceQuotaExceededException: [400, "Your account has reached its quota of tokens"],
  AccessDeniedException: [403, "You don't have access to the model with the specified model ID."],
  ResourceNotFoundException: [404, "Could not resolve the foundation model from the provided model identifier."],
  ModelTimeoutException: [408, "Model has timed out in processing the request."],
  ModelErrorException: [424, "The system encountered an unexpected error during processing."],
  ThrottlingException: [429, "Too many requests, please wait before trying again."],
  ModelNotReadyException: [429, "Model is not ready for inference."],
  InternalServerException: [500, "The system encountered an unexpected error."],
  ServiceUnavailableException: [503, "Bedrock is unable to process your request."]
}

const refused = (type: string, status: number, message: string): Response =>
  Response.json(
    { message },
    { status, headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/`, "x-amzn-requestid": "r-1" } }
  )

const streamHeaders = { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "r-1" }

const scenarioOf = (text: string): Scenario => {
  const named = [...text.matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  return scenarios.find((scenario) => scenario === named) ?? "text"
}

/** A surface of the runtime: how it answers a call that was let in; undefined if it is not there. */
type Surface = (asked: { readonly path: string; readonly body: Any; readonly text: string }) => Response | undefined

/** Claude by InvokeModel. */
const invoke =
  (playing: Playing | undefined): Surface =>
  ({ body, path, text }) => {
    const [, id = "", verb] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? []
    const model = decodeURIComponent(id)
    if (verb === undefined || !model.includes("anthropic.")) return undefined
    const { anthropic_beta, anthropic_version, ...asked } = body
    const wrong =
      typeof anthropic_version !== "string"
        ? "anthropic_version: Field required"
        : anthropic_beta !== undefined && !Array.isArray(anthropic_beta)
          ? "anthropic_beta: Input should be a valid list"
          : "model" in body || "stream" in body
            ? "model: Extra inputs are not permitted"
            : (placeComplaint("invoke", { model, betas: anthropic_beta ?? [], version: anthropic_version }, asked) ??
              complaint("anthropic-messages", { model, ...asked }))
    if (wrong !== undefined) return refused("ValidationException", 400, `fake upstream: ${wrong}`)
    const scenario = scenarioOf(text)
    const turn = text.match(/"type":"tool_result"/g)?.length ?? 0
    const played = playing?.("anthropic-messages", asked, model)
    if (verb === "invoke") {
      return Response.json(played?.whole ?? anthropic.answer(scenario, model, turn), { headers: requestId })
    }
    return streamed(
      text,
      (played?.frames ?? anthropic.frames(scenario, model, turn)).map((frame) =>
        awsEvent("chunk", { bytes: base64(frame), p: "abcd" })
      )
    )
  }

/** Any model by Converse. */
const converse: Surface = ({ body, path, text }) => {
  const [, id = "", verb] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(path) ?? []
  if (verb === undefined) return undefined
  const model = decodeURIComponent(id)
  const wrong = converseComplaint(body, model)
  if (wrong !== undefined) return refused("ValidationException", 400, `fake upstream: ${wrong}`)
  const scenario = scenarioOf(text)
  const turn = text.match(/"toolResult"/g)?.length ?? 0
  if (scenario === "error-before") return refused("ValidationException", 400, "messages: too few of them")
  if (verb === "converse") {
    if (scenario === "error-after") return Response.json({ nothing: "of use" })
    const answer = JSON.stringify(converseAnswer(scenario, turn, model))
    const shown = text.includes("breaks:off") ? answer.slice(0, answer.length / 2) : answer
    return new Response(shown, { headers: { "content-type": "application/json", ...requestId } })
  }
  const events = converseEvents(scenario, turn, model).map((event) => {
    const [name = "", payload = {}] = Object.entries(event)[0] ?? []
    return awsEvent(name, Object.assign({ p: "abcdefghij" }, payload))
  })
  if (text.includes("breaks:off")) return streamed("", events.slice(0, events.length / 2))
  return streamed(scenario === "error-after" ? "late: ends:modelStreamErrorException" : text, events)
}

/** Anthropic's own wire at Bedrock. */
const plain: Surface = ({ body, path, text }) => {
  if (path === "/anthropic/v1/messages/count_tokens") return Response.json({ input_tokens: 9 })
  if (path !== "/anthropic/v1/messages") return undefined
  const scenario = scenarioOf(text)
  if (body.stream !== true) return Response.json(anthropic.answer(scenario, body.model), { headers: requestId })
  const frames = anthropic.frames(scenario, body.model)
  return new Response(
    frames.map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`).join(""),
    {
      headers: { "content-type": "text/event-stream" }
    }
  )
}

const counts: Surface = ({ body, path }) => {
  const [, id] = /^\/model\/([^/]+)\/count-tokens$/.exec(path) ?? []
  if (id === undefined) return undefined
  if (/^(?:us|eu|global)\./.test(id)) {
    return refused("ValidationException", 400, "The provided model doesn't support counting tokens.")
  }
  const whole = JSON.parse(Buffer.from(body.input.invokeModel.body, "base64").toString())
  const call = { model: id, betas: whole.anthropic_beta ?? [], version: whole.anthropic_version }
  const wrong = placeComplaint("invoke", call, plainly(whole)) ?? complaint("anthropic-messages", plainly(whole))
  return wrong === undefined ? Response.json({ inputTokens: 9 }) : refused("ValidationException", 400, wrong)
}

const plainly = (whole: Any) => {
  const { anthropic_beta: _, anthropic_version: __, ...body } = whole
  return body
}

/** The control plane's lists, which AWS has at another host. */
const lists: Readonly<Record<string, unknown>> = {
  "/foundation-models": {
    modelSummaries: [
      { modelId: "amazon.nova-lite-v1:0", inferenceTypesSupported: ["ON_DEMAND"], outputModalities: ["TEXT"] },
      { modelId: "amazon.nova-lite-v1:0:24k", inferenceTypesSupported: ["PROVISIONED"] },
      { modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0", inferenceTypesSupported: ["INFERENCE_PROFILE"] }
    ]
  },
  "/inference-profiles": {
    inferenceProfileSummaries: [
      { inferenceProfileId: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", type: "SYSTEM_DEFINED", status: "ACTIVE" },
      { inferenceProfileId: "us.amazon.nova-2-lite-v1:0", type: "SYSTEM_DEFINED", status: "ACTIVE" }
    ]
  }
}

const requestId = { "x-amzn-requestid": "r-1" }

/**
 * The frames of a stream, or what `ends:<type>` says: an exception after the first, with `late:` once the others are with
 * their reader; `cut` for half of the last one.
 */
const streamed = (text: string, frames: ReadonlyArray<Uint8Array>): Response => {
  const ending = /ends:(\w+)/.exec(text)?.[1]
  const last = frames[frames.length - 1] ?? new Uint8Array()
  if (ending === undefined) return new Response(Buffer.concat(frames), { headers: streamHeaders })
  const cut = Buffer.concat([...frames.slice(0, -1), last.subarray(0, last.length - 9)])
  if (ending === "cut") return new Response(cut, { headers: streamHeaders })
  const exception = awsException(ending, `it ends with ${ending}`)
  const isLate = text.includes("late:")
  const lateAfter = Math.max(6, frames.length - 1)
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.concat(frames.slice(0, isLate ? lateAfter : 1)))
      if (isLate) await Bun.sleep(100)
      controller.enqueue(exception)
      controller.close()
    }
  })
  return new Response(body, { headers: streamHeaders })
}

const base64 = (frame: object): string => Buffer.from(JSON.stringify(frame)).toString("base64")

/**
 * Bedrock's runtime in one region. It checks signatures as AWS does, and refuses what AWS refuses: `fails:<type>` in a
 * request is answered by that error, `ends:<type>` is an exception inside the stream.
 *
 * @param playing the answers to InvokeModel, in place of what a request names
 */
export const fakeBedrock = (playing?: Playing) => {
  const asked: Array<BedrockCall> = []
  const surfaces = [invoke(playing), converse, plain, counts]
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { headers, method, url } = request
      const text = await request.text()
      const path = new URL(url).pathname
      if (path === "/last") return shownCall(asked.at(-1))
      const signer = signerIn(headers)
      const key = headers.get("authorization")
      if (key === null) return refused("MissingAuthenticationTokenException", 403, "Missing Authentication Token")
      if (signer === undefined && key !== `Bearer ${bedrockKey}`) {
        return refused("AccessDeniedException", 403, "Authentication failed: Please make sure your API Key is valid.")
      }
      if (signer !== undefined && signer !== bedrockKeys.accessKeyId) {
        return refused("UnrecognizedClientException", 403, "The security token included in the request is invalid.")
      }
      if (signer !== undefined && !(await isSigned({ method, url, headers, body: text }, bedrockKeys, "bedrock"))) {
        return refused("InvalidSignatureException", 403, "The request signature we calculated does not match")
      }
      const list = lists[path]
      if (method === "GET" && list !== undefined) return Response.json(list)
      const body = JSON.parse(text)
      asked.push({ path, headers, body, by: signer === undefined ? "key" : "signature" })
      const type = /fails:(\w+)/.exec(text)?.[1] ?? ""
      const error = errors[type]
      if (error !== undefined) return refused(type, ...error)
      for (const surface of surfaces) {
        const answer = surface({ path, body, text })
        if (answer !== undefined) return answer
      }
      return refused("ValidationException", 400, "The provided model identifier is invalid.")
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    last: (): BedrockCall => {
      const call = asked.at(-1)
      if (call === undefined) throw new Error("nothing was asked")
      return call
    },
    stop: () => server.stop(true)
  }
}
