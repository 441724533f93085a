import type { JsonObject } from "../../../src/contract/fields.ts"
import { isObject, listAt } from "../../../src/contract/json/json.ts"
import { anthropic } from "./anthropic.ts"
import { chat } from "./chat.ts"
import type { DialectName, Playing } from "./fakeUpstream.ts"
import { responses } from "./responses.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { scenarios } from "./scenarios.ts"
import { shownCall } from "./shownCall.ts"
import { complaint } from "./strict.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

export const azureKey = "azure-key-0123456789abcdef"
export const entraToken = "entra-token-0123456789abcdef"
const deployments = new Set(["house-gpt", "house-embeddings", "house-claude"])

/** A call as it came. */
export interface AzureCall {
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: Any
  readonly by: "api-key" | "x-api-key" | "bearer key" | "token"
}

const surfaces: Readonly<Record<string, readonly [DialectName, Dialect]>> = {
  "/chat/completions": ["openai-chat", chat],
  "/responses": ["openai-responses", responses],
  "/messages": ["anthropic-messages", anthropic]
}

const verdicts = (filtered: string) => ({
  hate: { filtered: false, severity: "safe" },
  violence: { filtered: filtered === "violence", severity: filtered === "violence" ? "high" : "safe" },
  jailbreak: { filtered: filtered === "jailbreak", detected: filtered === "jailbreak" }
})

/** Azure's error for a prompt that its filter blocks. */
const blocked = {
  error: {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: verdicts("jailbreak") }
  }
}

const promptResults = [{ prompt_index: 0, content_filter_results: verdicts("") }]

/** The frames with what Azure's filter adds: `filter:async` between the others, `filter:answer` at the end. */
const filtered = (frames: ReadonlyArray<JsonObject>, text: string): ReadonlyArray<JsonObject> => {
  const bare = { id: "", object: "", created: 0, model: "" }
  const first = { ...bare, choices: [], prompt_filter_results: promptResults }
  const offsets = { check_offset: 44, start_offset: 44, end_offset: 198 }
  const between = {
    ...bare,
    choices: [{ index: 0, finish_reason: null, content_filter_offsets: offsets, content_filter_results: verdicts("") }]
  }
  const marked = frames.flatMap((frame) => [
    { ...frame, choices: listAt(frame, "choices").map((choice) => withVerdict(choice, text)) },
    ...(text.includes("filter:async") && listAt(frame, "choices").length > 0 ? [between] : [])
  ])
  return [first, ...marked]
}

const withVerdict = (choice: unknown, text: string) => {
  if (!isObject(choice)) return choice
  const isCut = text.includes("filter:answer") && typeof choice["finish_reason"] === "string"
  return {
    ...choice,
    ...(isCut && { finish_reason: "content_filter" }),
    content_filter_results: verdicts(isCut ? "violence" : "")
  }
}

const events = (dialect: Dialect, frames: ReadonlyArray<JsonObject>): Response => {
  const name = (frame: JsonObject) => (dialect.named ? `event: ${String(frame["type"])}\n` : "")
  const text = frames.map((frame) => `${name(frame)}data: ${JSON.stringify(frame)}\n\n`).join("") + dialect.end
  return new Response(text, { headers: { "content-type": "text/event-stream", "apim-request-id": "r-1" } })
}

const scenarioOf = (text: string): Scenario => {
  const named = [...text.matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  return scenarios.find((scenario) => scenario === named) ?? "text"
}

const error = (status: number, code: string, message: string) => Response.json({ error: { code, message } }, { status })

const denied = () =>
  error(
    401,
    "401",
    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key."
  )

/** The deployment and the endpoint that a path names; undefined if Azure has no such path. */
const placeOf = ({ pathname, searchParams }: URL, body: Any): { deployment: string; path: string } | undefined => {
  if (pathname.startsWith("/anthropic/v1/")) return { deployment: body.model, path: pathname.slice(13) }
  if (pathname.startsWith("/openai/v1/")) return { deployment: body.model, path: pathname.slice(10) }
  if (!/^\d{4}-\d\d-\d\d/.test(searchParams.get("api-version") ?? "")) return undefined
  const [, named, path = ""] = /^\/openai\/deployments\/([^/]+)(\/chat\/completions|\/embeddings)$/.exec(pathname) ?? []
  if (named !== undefined) return { deployment: decodeURIComponent(named), path }
  return pathname === "/openai/responses" ? { deployment: body.model, path: "/responses" } : undefined
}

const callerIn = (headers: Headers): AzureCall["by"] | undefined => {
  if (headers.get("api-key") === azureKey) return "api-key"
  if (headers.get("x-api-key") === azureKey) return "x-api-key"
  if (headers.get("authorization") === `Bearer ${azureKey}`) return "bearer key"
  return headers.get("authorization") === `Bearer ${entraToken}` ? "token" : undefined
}

/**
 * A resource of Azure: OpenAI's models behind `/openai/v1` and at the addresses of deployments, Claude behind
 * `/anthropic`, and Entra's token service. It refuses what Azure refuses; `filter:prompt`, `filter:answer` and
 * `filter:async` in a request are what its content filter does.
 *
 * @param playing the answers, in place of what a request names
 */
export const fakeAzure = (playing?: Playing) => {
  const asked: Array<AzureCall> = []
  const answer = (path: string, body: Any, text: string): Response => {
    if (path === "/embeddings") {
      const data = [{ object: "embedding", index: 0, embedding: [0.5, 0.25] }]
      return Response.json({
        object: "list",
        data,
        model: "text-embedding-3-small",
        usage: { prompt_tokens: 1, total_tokens: 1 }
      })
    }
    if (path === "/messages/count_tokens") return Response.json({ input_tokens: 9 })
    const [name, dialect] = surfaces[path] ?? []
    if (name === undefined || dialect === undefined) return error(404, "404", "Resource not found")
    if (text.includes("filter:prompt")) return Response.json(blocked, { status: 400 })
    const wrong = complaint(name, body)
    if (wrong !== undefined) return Response.json(dialect.error(400, `fake upstream: ${wrong}`), { status: 400 })
    // The model behind the deployment, which Azure names in its answers.
    const model = name === "anthropic-messages" ? "claude-opus-5-5" : "gpt-6.1-sol-2026-09-01"
    const turn = text.match(toolResult)?.length ?? 0
    const isChat = name === "openai-chat"
    const played = playing?.(name, body, model)
    if (body.stream === true) {
      const frames = played?.frames ?? dialect.frames(scenarioOf(text), model, turn)
      return events(dialect, isChat ? filtered(frames, text) : cut(frames, text))
    }
    const whole = played?.whole ?? dialect.answer(scenarioOf(text), model, turn)
    const marked = {
      prompt_filter_results: promptResults,
      choices: listAt(whole, "choices").map((one) => withVerdict(one, text))
    }
    return Response.json(isChat ? { ...whole, ...marked } : incomplete(whole, text))
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const url = new URL(request.url)
      const text = await request.text()
      if (url.pathname === "/tenant/oauth2/v2.0/token") {
        return Response.json({ access_token: entraToken, token_type: "Bearer", expires_in: 3_599 })
      }
      if (url.pathname === "/last") return shownCall(asked.at(-1))
      const by = callerIn(request.headers)
      if (by === undefined) return denied()
      if (request.method === "GET") {
        return url.pathname === "/openai/v1/models"
          ? Response.json({ object: "list", data: [{ id: "gpt-6.1-sol", object: "model" }] })
          : error(404, "404", "Resource not found")
      }
      const body = JSON.parse(text)
      asked.push({ path: url.pathname, query: url.search, headers: request.headers, body, by })
      const place = placeOf(url, body)
      if (place === undefined) return error(404, "404", "Resource not found")
      return deployments.has(place.deployment)
        ? answer(place.path, body, text)
        : error(404, "DeploymentNotFound", "The API deployment for this resource does not exist.")
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    last: (): AzureCall => {
      const call = asked.at(-1)
      if (call === undefined) throw new Error("Azure was not asked")
      return call
    },
    stop: () => server.stop(true)
  }
}

const toolResult = /"type":"tool_result"|"type":"\w+_call_output"|"role":"tool"/g

/** A response that the filter cut. */
const incomplete = (answer: JsonObject, text: string): JsonObject => {
  if (!text.includes("filter:answer")) return answer
  return { ...answer, status: "incomplete", incomplete_details: { reason: "content_filter" } }
}

const cut = (frames: ReadonlyArray<JsonObject>, text: string): ReadonlyArray<JsonObject> =>
  frames.map((frame) =>
    frame["type"] === "response.completed" && isObject(frame["response"]) && text.includes("filter:answer")
      ? { ...frame, type: "response.incomplete", response: incomplete(frame["response"], text) }
      : frame
  )
