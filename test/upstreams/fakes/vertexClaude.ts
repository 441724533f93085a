import { anthropic } from "./anthropic.ts"
import { betasIn, placeComplaint } from "./claudePlaces.ts"
import type { Scenario } from "./scenarios.ts"
import { scenarios } from "./scenarios.ts"
import { shownCall } from "./shownCall.ts"
import { complaint } from "./strict.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

export const vertexToken = "ya29.token-0123456789"
export const vertexModels = "/v1/projects/house/locations/global/publishers/anthropic/models"
export const vertexModel = "claude-sonnet-4-5@20250929"

/** A call as it came. */
export interface VertexCall {
  readonly path: string
  readonly headers: Headers
  readonly body: Any
}

const refused = (code: number, message: string) =>
  Response.json({ error: { code, message, status: "INVALID_ARGUMENT" } }, { status: code })

const scenarioOf = (text: string): Scenario => {
  const named = [...text.matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  return scenarios.find((scenario) => scenario === named) ?? "text"
}

const answer = (path: string, body: Any, text: string, betas: ReadonlyArray<string>): Response => {
  const { anthropic_version: version, ...asked } = body
  if (typeof version !== "string") return refused(400, "anthropic_version: Field required")
  const isCount = path === `${vertexModels}/count-tokens:rawPredict` && typeof body.model === "string"
  const unfit = placeComplaint("vertex", { model: vertexModel, betas, version, isCount }, asked)
  if (unfit !== undefined) return Response.json(anthropic.error(400, unfit), { status: 400 })
  if (isCount) return Response.json({ input_tokens: 9 })
  if (body.model !== undefined) return refused(400, "model: Extra inputs are not permitted")
  const isStreamed = body.stream === true
  const verb = isStreamed ? "streamRawPredict" : "rawPredict"
  if (path !== `${vertexModels}/${vertexModel}:${verb}`) return refused(404, "no such model")
  const model = "claude-sonnet-4-5-20250929"
  const wrong = complaint("anthropic-messages", { model, ...asked })
  if (wrong !== undefined) return Response.json(anthropic.error(400, `fake upstream: ${wrong}`), { status: 400 })
  const turn = text.match(/"type":"tool_result"/g)?.length ?? 0
  if (!isStreamed) return Response.json(anthropic.answer(scenarioOf(text), model, turn))
  const frames = anthropic.frames(scenarioOf(text), model, turn)
  return new Response(
    frames.map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`).join(""),
    { headers: { "content-type": "text/event-stream" } }
  )
}

/** Claude at Vertex, as Anthropic's SDK for it calls it: the model in the path alone, the version in the body. */
export const fakeVertexClaude = () => {
  let last: VertexCall | undefined
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { headers, url } = request
      const path = new URL(url).pathname
      if (path === "/last") return shownCall(last)
      if (path === "/sts") return Response.json({ access_token: vertexToken, expires_in: 3_600 })
      if (headers.get("authorization") !== `Bearer ${vertexToken}`) return refused(401, "no token")
      const text = await request.text()
      const body = JSON.parse(text)
      last = { path, headers, body }
      return answer(path, body, text, betasIn(headers))
    }
  })
  return { url: `http://127.0.0.1:${server.port}` }
}
