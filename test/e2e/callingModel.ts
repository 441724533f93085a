import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

export interface Seen {
  readonly method: string
  readonly headers: Headers
}

/** A server of the newest revision with two tools. */
export const startDice = () => {
  const seen: Array<Seen> = []
  let broken: Response | undefined
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (asked) => {
      const { id, method, params } = await asked.json()
      seen.push({ method, headers: asked.headers })
      if (broken !== undefined) return broken.clone()
      const result = (value: object) =>
        Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } })
      if (method === "tools/list") {
        const schema = { type: "object", properties: { sides: { type: "integer" } } }
        return result({
          tools: [
            { name: "roll", description: "Rolls a die", inputSchema: schema, annotations: { readOnlyHint: true } },
            { name: "cheat.now", inputSchema: schema }
          ]
        })
      }
      if (params.name === "cheat.now")
        return result({ content: [{ type: "text", text: "You may not" }], isError: true })
      return result({ content: [{ type: "text", text: `A ${params.arguments.sides}` }] })
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    seen,
    /** Answers everything in this way, until it is undefined. */
    breakBy: (answer: Response | undefined) => void (broken = answer),
    stop: () => server.stop(true)
  }
}

/** A chat upstream whose model calls tools in its first round. */
export const startCallingModel = () => {
  let wanted: ReadonlyArray<string> = []
  const answer = ({ body }: Asked): Response => {
    const results = body.messages.filter(({ role }: { role: string }) => role === "tool")
    const isFirst = results.length === 0
    const calls = wanted.map((name, index) => ({
      index,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: `{"sides":${index + 6}}` }
    }))
    const last = results.at(-1)?.content
    const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
    const finish_reason = isFirst ? "tool_calls" : "stop"
    if (body.stream !== true) {
      const message = {
        role: "assistant",
        content: isFirst ? null : `It said: ${last}`,
        ...(isFirst && { tool_calls: calls })
      }
      return Response.json({
        id: "c",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage
      })
    }
    const deltas = isFirst ? [{ tool_calls: calls }] : [{ content: "It said: " }, { content: String(last) }]
    const chunks = [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
      { choices: [{ index: 0, delta: {}, finish_reason }] },
      { choices: [], usage }
    ]
    const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")
    return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
  }
  const upstream = fakeUpstream("openai-chat", { answer })
  return {
    asked: upstream.asked,
    url: upstream.url,
    /** The names that the model calls in its first round. */
    want: (...names: ReadonlyArray<string>) => void (wanted = names),
    /** The names of the tools that the model was offered in the first round of the latest answer. */
    offered: (): ReadonlyArray<string> =>
      upstream.asked.at(-2)?.body.tools.map((tool: { function: { name: string } }) => tool.function.name),
    /** A gateway whose model `house` is this one. */
    gateway: (env: Record<string, string>, more: object = {}) => {
      const folder = mkdtempSync(join(tmpdir(), "gateway-mcp-"))
      const upstreams = { chat: { protocol: "openai-chat", base_url: `${upstream.url}/v1` } }
      writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models: { house: "chat" }, ...more }))
      return startGateway({ folder, env })
    },
    stop: upstream.stop
  }
}
