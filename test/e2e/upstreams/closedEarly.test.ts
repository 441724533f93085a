import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { clientsOf } from "./world.ts"

/**
 * Upstreams that close the connection of a stream without the end of its body, once the gateway has passed on what came
 * so far. Bun's `fetch` drops bytes that come together with the close, so none do here.
 */
const closing = { chat: "openai-chat", messages: "anthropic-messages", responses: "openai-responses" } as const
type Name = keyof typeof closing

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" }
const choice = (delta: object, finish_reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason }]
})
const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null }
const response = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] }
const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] }

/** An answer of two choices. */
const both: ReadonlyArray<object> = [
  choice({ role: "assistant", content: "Hi" }),
  { ...head, choices: [{ index: 1, delta: { role: "assistant", content: "Ho" }, finish_reason: null }] },
  choice({}, "stop"),
  { ...head, choices: [{ index: 1, delta: {}, finish_reason: "stop" }] }
]

/** The frames of an answer, up to one that leaves nothing to be said. */
const frames: Readonly<Record<Name, ReadonlyArray<object>>> = {
  chat: [choice({ role: "assistant", content: "Hi" }), choice({}, "stop")],
  messages: [
    { type: "message_start", message: { ...message, usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }
  ],
  responses: [
    { type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress" } },
    { type: "response.output_item.added", sequence_number: 1, output_index: 0, item },
    { type: "response.output_text.delta", sequence_number: 2, output_index: 0, content_index: 0, delta: "Hi" }
  ]
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const written = (name: Name, frame: object) =>
  chunk(`${name === "chat" ? "" : `event: ${String(Reflect.get(frame, "type"))}\n`}data: ${JSON.stringify(frame)}\n\n`)

const answers = (name: Name, text: string) => {
  const all = text.includes("both") ? both : frames[name]
  const said = (text.includes("half") ? all.slice(0, -1) : all).map((frame) => written(name, frame)).join("")
  return text.includes("both") ? `${said}0\r\n\r\n` : said
}

const open = new Set<Socket>()
const started = (name: Name) => {
  const server = createServer((socket) => {
    let asked = ""
    open.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => open.delete(socket))
    socket.on("data", (bytes) => {
      asked += bytes.toString()
      if (!asked.endsWith("}")) return
      const begun = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
      socket.write(begun + answers(name, asked))
      asked = ""
    })
  })
  return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
}

let gateway: GatewayHere
let clients: ReturnType<typeof clientsOf>
let servers: ReadonlyArray<Awaited<ReturnType<typeof started>>>
beforeAll(async () => {
  const names = ["chat", "messages", "responses"] as const
  servers = await Promise.all(names.map(started))
  const url = (at: number) => `http://127.0.0.1:${(servers[at]!.address() as AddressInfo).port}/v1`
  const folder = mkdtempSync(join(tmpdir(), "gateway-closed-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(names.map((name, at) => [name, { protocol: closing[name], base_url: url(at) }])),
      models: Object.fromEntries(names.map((name) => [name, { routes: [{ upstream: name, model: "m" }] }]))
    })
  )
  gateway = await startGateway({ folder })
  clients = clientsOf(gateway)
})
afterAll(async () => {
  await gateway.dispose()
  for (const server of servers) server.close()
})

const close = () => {
  for (const socket of open) socket.destroy()
}

const user = (content: string) => [{ role: "user" as const, content }]

/** What each family's client reads of a stream whose upstream closes after its first words. */
const reading: Readonly<Record<"chat" | "messages", (model: Name, text: string) => Promise<unknown>>> = {
  chat: async (model, text) => {
    const stream = clients.openai.chat.completions.stream({ model, messages: user(text) })
    stream.on("content", close)
    const { choices } = await stream.finalChatCompletion()
    return [choices[0]?.message.content, choices[0]?.finish_reason]
  },
  messages: async (model, text) => {
    const stream = clients.anthropic.messages.stream({ model, max_tokens: 9, messages: user(text) })
    stream.on("text", close)
    const { content, stop_reason } = await stream.finalMessage()
    return [content[0]?.type === "text" ? content[0].text : content, stop_reason]
  }
}

describe.each(["chat", "messages"] as const)("a stream that %s reads", (family) => {
  it.each(["chat", "messages"] as const)(
    "is complete if %s had told its reason before the connection closed",
    async (model) => {
      expect(await reading[family](model, "whole")).toEqual(["Hi", family === "chat" ? "stop" : "end_turn"])
    }
  )

  it.each(["chat", "messages"] as const)("fails if %s had not", async (model) => {
    await expect(reading[family](model, "half")).rejects.toThrow()
  })
})

describe.each([true, false])("an answer of several choices without an end marker (streamed: %s)", (stream) => {
  const asked = async (content: string) => {
    const body = JSON.stringify({ model: "chat", messages: user(content), n: 2, stream })
    const headers = { "content-type": "application/json", authorization: `Bearer ${gateway.key}` }
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })
    return reply.text()
  }

  it("is complete if each told its reason", async () => {
    expect(await asked("both whole")).toMatch(stream ? /\[DONE\]/ : /"finish_reason":"stop".*"finish_reason":"stop"/)
  })

  it("fails if one did not", async () => {
    const text = await asked("both half")
    expect(text).toContain("The model's upstream ended before its answer did")
    expect(text).not.toContain("[DONE]")
  })
})

it("a stream of responses without its last event fails: nothing else has the response", async () => {
  const stream = clients.openai.responses.stream({ model: "responses", input: "whole" })
  stream.on("response.output_text.delta", close)
  await expect(stream.finalResponse()).rejects.toThrow()
})
