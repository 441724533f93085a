import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type OpenAI from "openai"
import { pixel } from "../../upstreams/conversations.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { complaint } from "../../upstreams/fakes/strict.ts"
import { promptCache } from "./promptCache.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

const protocols = ["anthropic-messages", "openai-responses"] as const
type Protocol = (typeof protocols)[number]

const caches = { "anthropic-messages": promptCache(), "openai-responses": promptCache() }

/** Thinks something else each time, wants all of it back in its place, and has a cache of prompts as the real thing has. */
const thinking = ({ body, path }: Asked): Response => {
  const protocol = protocols.find((name) => dialects[name].path === path)!
  const text = JSON.stringify(body)
  const thoughts = [...text.matchAll(/ thought (\d+)/g)].map((found) => Number(found[1]))
  const seals = [...text.matchAll(/(?:signature|content)==(\d+)/g)].map((found) => Number(found[1]))
  const turn = text.match(/"type":"tool_result"|"type":"function_call_output"/g)?.length ?? 0
  const dialect = dialects[protocol]
  // The strict upstream knows one signature.
  const wrong = complaint(protocol, JSON.parse(text.replaceAll(/(signature|content)==\d+/g, "$1==")))
  const whole = Array.from({ length: turn }, (_, index) => index)
  const isWhole = JSON.stringify([thoughts, seals]) === JSON.stringify([whole, whole])
  if (wrong !== undefined || !isWhole) {
    const message = wrong ?? `of ${turn} thoughts came ${thoughts.join()} with ${seals.join()}`
    return Response.json(dialect.error(400, message), { status: 400 })
  }
  const usage = caches[protocol](body)
  const answer = crypto.randomUUID().slice(0, 8)
  const asTurn = (frame: unknown): string =>
    JSON.stringify(frame, (key, value) => (key === "usage" && value !== null ? { ...value, ...usage } : value))
      .replaceAll(spoken.thought, `${spoken.thought} thought ${turn}`)
      .replaceAll(spoken.signature, `${spoken.signature}${turn}`)
      .replaceAll(spoken.encrypted, `${spoken.encrypted}${turn}`)
      // Call ids are unique to this answer, and so are the signatures kept by them.
      .replaceAll(/"((?:toolu|call)_\d+)"/g, `"$1_${answer}"`)
  const scenario = text.includes("Enough.") ? "reasoning" : "reasoning-tools"
  const frames = dialect.frames(scenario, body.model, turn).map((frame) => {
    const { type } = frame as { type?: string }
    return `event: ${type}\ndata: ${asTurn(frame)}\n\n`
  })
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
}

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { answer: thinking } })
})
afterAll(() => world.dispose())

const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "The weather",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    }
  }
]

const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${pixel}` } }

type Message = OpenAI.ChatCompletionMessageParam
type Chunk = OpenAI.ChatCompletionChunk
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & Reasoned

/** The parts of an answer that clients send back: all, the readable ones, or those known to the official client. */
const habits = {
  everything: (message: Message, details: ReadonlyArray<unknown>, thought: string) => ({
    ...message,
    reasoning_content: thought,
    reasoning_details: details
  }),
  "the readable reasoning": (message: Message, _: ReadonlyArray<unknown>, thought: string) => ({
    ...message,
    reasoning_content: thought
  }),
  "no reasoning": (message: Message) => message
}

const turns = 20

describe.each(protocols)("an agent's loop of chat completions on %s alone", (protocol: Protocol) => {
  it.each(["no reasoning", "the readable reasoning", "everything"] as const)(
    "keeps its reasoning, its seals and its cache through twenty turns of a client that returns %s",
    async (habit) => {
      const messages: Array<Message> = [
        { role: "system", content: `You are a weather agent whose user gets ${habit}.` },
        { role: "user", content: [{ type: "text", text: "What is in the picture, and how is the weather?" }, image] }
      ]
      let before = 0
      for (let turn = 0; turn <= turns; turn++) {
        const stream = await world.openai.chat.completions.create({
          model: models[protocol],
          messages,
          tools,
          reasoning_effort: "high",
          max_completion_tokens: 8_000,
          stream: true,
          stream_options: { include_usage: true }
        })
        const { details, message, thought, usage } = await read(stream)
        expect(thought).toBe(`${spoken.thought} thought ${turn}`)
        // All that was asked before is read from the cache.
        if (turn > 0) expect([turn, usage.prompt_tokens_details?.cached_tokens]).toEqual([turn, before])
        before = usage.prompt_tokens
        if (turn === turns) {
          expect(message.content).toBe(spoken.text)
          break
        }
        const [call] = message.tool_calls ?? []
        messages.push(habits[habit](message, details, thought))
        messages.push({ role: "tool", tool_call_id: call!.id, content: turn === turns - 1 ? "Enough." : `${turn} °C` })
        if (turn === 9) messages.push({ role: "user", content: [{ type: "text", text: "And here?" }, image] })
      }
      expect(JSON.stringify(world.asked(protocol).body).split(pixel)).toHaveLength(3)
    },
    30_000
  )
})

describe.each(protocols)("several answers of %s, each a call", (protocol: Protocol) => {
  it.each([false, true])("may be gone on with by a client that returns no reasoning (stream: %s)", async (stream) => {
    const question: Message = { role: "user", content: `How is the weather (${stream})?` }
    const common = { model: models[protocol], tools, reasoning_effort: "high" as const, max_completion_tokens: 8_000 }
    const asked = { ...common, n: 2, messages: [question] }
    const { choices } = stream
      ? await world.openai.chat.completions.stream(asked).finalChatCompletion()
      : await world.openai.chat.completions.create(asked)
    expect(choices).toHaveLength(2)
    for (const { message } of choices) {
      const [call] = message.tool_calls ?? []
      const answered = await world.openai.chat.completions.create({
        ...common,
        messages: [
          question,
          { role: "assistant", content: null, tool_calls: message.tool_calls! },
          { role: "tool", tool_call_id: call!.id, content: "Enough." }
        ]
      })
      expect(answered.choices[0]?.message.content).toBe(spoken.text)
    }
  })
})

/** An answer as clients add it up. */
const read = async (stream: AsyncIterable<Chunk>) => {
  const message: Said = { role: "assistant", content: null }
  const details: Array<unknown> = []
  let thought = ""
  let usage: OpenAI.CompletionUsage | undefined
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage
    const delta: Delta | undefined = chunk.choices[0]?.delta
    if (delta?.content) message.content = (message.content ?? "") + delta.content
    thought += delta?.reasoning_content ?? ""
    details.push(...(delta?.reasoning_details ?? []))
    for (const { function: called, id, index } of delta?.tool_calls ?? []) {
      const calls = (message.tool_calls ??= [])
      const known = (calls[index] ??= { id: id!, type: "function", function: { name: called!.name!, arguments: "" } })
      known.function.arguments += called?.arguments ?? ""
    }
  }
  return { message, details, thought, usage: usage! }
}

interface Reasoned {
  readonly reasoning_content?: string
  readonly reasoning_details?: ReadonlyArray<unknown>
}
interface Said {
  readonly role: "assistant"
  content: string | null
  tool_calls?: Array<OpenAI.ChatCompletionMessageFunctionToolCall>
}
