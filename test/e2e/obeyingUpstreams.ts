import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { fakeGemini } from "../agents/upstream/gemini.ts"
import { framesOf, wholeOf } from "../agents/upstream/frames.ts"
import { plan } from "../agents/upstream/plan.ts"
import { awsEvent } from "../upstreams/fakes/awsMessage.ts"
import { converseComplaint } from "../upstreams/fakes/strictConverse.ts"
import { dialects, fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { startDice } from "./callingModel.ts"

type Any = Asked["body"]

/** An upstream of a dialect whose model does what it is told: `[[call NAME INPUT]]`. */
const obeying = (name: DialectName) =>
  fakeUpstream(name, {
    strict: true,
    answer: ({ body, path }) => {
      if (path !== dialects[name].path) return undefined
      const step = plan(name, body)
      const frames = framesOf[name](step, body.model, false)
      if (body.stream !== true) return Response.json(wholeOf[name](frames, step))
      const { end, named } = dialects[name]
      const events = frames.map(
        (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`
      )
      return new Response(events.join("") + end, { headers: { "content-type": "text/event-stream" } })
    }
  })

/** A conversation of Converse as the plan reads it: in chat's form. */
const asChat = ({ messages, toolConfig }: Any): Any => ({
  messages: messages.flatMap(({ content, role }: Any) =>
    content.flatMap(({ text, toolResult }: Any) => {
      if (toolResult !== undefined) {
        return [{ role: "tool", content: toolResult.content.map((part: Any) => part.text ?? "").join("") }]
      }
      return text === undefined ? [] : [{ role, content: text }]
    })
  ),
  tools: (toolConfig?.tools ?? []).flatMap(({ toolSpec }: Any) =>
    toolSpec === undefined ? [] : [{ type: "function", function: { name: toolSpec.name } }]
  )
})

/** The same by Bedrock's Converse. */
const obeyingConverse = () => {
  const asked: Array<{ readonly body: Any }> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body: Any = await request.json()
      asked.push({ body })
      const wrong = converseComplaint(body, "claude")
      if (wrong !== undefined) return Response.json({ message: `fake upstream: ${wrong}` }, { status: 400 })
      const step = plan("openai-chat", asChat(body))
      const usage = { inputTokens: 20, outputTokens: 8, totalTokens: 28 }
      const stopReason = step.type === "say" ? "end_turn" : "tool_use"
      const toolUse = step.type === "say" ? undefined : { toolUseId: `tooluse_${step.turn}`, name: step.name }
      const text = step.type === "say" ? step.text : ""
      const input = step.type === "say" ? "" : step.input
      if (!request.url.endsWith("-stream")) {
        const content = [toolUse === undefined ? { text } : { toolUse: { ...toolUse, input: JSON.parse(input) } }]
        return Response.json({ output: { message: { role: "assistant", content } }, stopReason, usage })
      }
      const contentBlockIndex = 0
      const events = [
        awsEvent("messageStart", { role: "assistant" }),
        ...(toolUse === undefined ? [] : [awsEvent("contentBlockStart", { contentBlockIndex, start: { toolUse } })]),
        awsEvent("contentBlockDelta", {
          contentBlockIndex,
          delta: toolUse === undefined ? { text } : { toolUse: { input } }
        }),
        awsEvent("contentBlockStop", { contentBlockIndex }),
        awsEvent("messageStop", { stopReason }),
        awsEvent("metadata", { usage })
      ]
      return new Response(Buffer.concat(events), { headers: { "content-type": "application/vnd.amazon.eventstream" } })
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) }
}

/** One upstream of each protocol, none of which calls servers, and two that do: `openai` and `claude`. */
const startObeying = () => {
  const fakes = {
    chat: obeying("openai-chat"),
    messages: obeying("anthropic-messages"),
    responses: obeying("openai-responses"),
    gemini: fakeGemini(),
    bedrock: obeyingConverse()
  }
  const { bedrock, chat, gemini, messages, responses } = fakes
  const key = { api_key: "upstream-key" }
  const openai = { protocol: "openai-responses", base_url: `${responses.url}/v1`, ...key }
  const claude = { protocol: "anthropic-messages", base_url: `${messages.url}/v1`, ...key }
  return {
    fakes,
    upstreams: {
      chat: { protocol: "openai-chat", base_url: `${chat.url}/v1`, provider: "vllm", ...key },
      messages: claude,
      responses: openai,
      gemini: { protocol: "gemini", base_url: `${gemini.url}/v1beta`, ...key },
      bedrock: { protocol: "bedrock-converse", base_url: bedrock.url, ...key },
      openai: { ...openai, provider: "openai" },
      claude: { ...claude, provider: "anthropic" }
    },
    models: {
      chat: { routes: [{ upstream: "chat", model: "qwen3-32b" }] },
      messages: { routes: [{ upstream: "messages", model: "claude-sonnet-4-5" }] },
      responses: { routes: [{ upstream: "responses", model: "gpt-5.1" }] },
      gemini: { routes: [{ upstream: "gemini", model: "gemini-3.8-flash" }] },
      bedrock: { routes: [{ upstream: "bedrock", model: "claude-sonnet-4-5" }] },
      openai: { routes: [{ upstream: "openai", model: "gpt-5.1" }] },
      claude: { routes: [{ upstream: "claude", model: "claude-sonnet-4-5" }] },
      mixed: {
        routes: [
          { upstream: "chat", model: "qwen3-32b" },
          { upstream: "openai", model: "gpt-5.1" }
        ]
      }
    },
    stop: () => Promise.all(Object.values(fakes).map((fake) => fake.stop()))
  }
}

/** A gateway before them, with the dice as its server of tools, for the tests of a file. */
export const obeyingWorld = () => {
  const dice = startDice()
  const { fakes, models, stop, upstreams } = startObeying()
  let gateway: GatewayHere
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-servers-"))
    const file = { upstreams, models, mcp: { servers: { dice: { url: dice.url, list_seconds: 0 } } } }
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(file))
    gateway = await startGateway({ folder, env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" } })
  })
  beforeEach(() => {
    dice.seen.length = 0
  })
  afterAll(async () => {
    await Promise.all([gateway.dispose(), stop(), dice.stop()])
  })
  return { dice, fakes, seen: dice.seen, at: () => gateway }
}
