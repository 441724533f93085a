import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runtimeVariables } from "../../src/commands/reexec.ts"
import type { Recording } from "./recording.ts"

const secret = "walker-secret-0123456789-0123456789"
const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const words = ["One", " two", " three", " four", " five", " six"]

const chatFrames = [
  ...words.map((content) =>
    frame({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content } }]
    })
  ),
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }]
  }),
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 }
  }),
  "data: [DONE]\n\n"
]

const item = { id: "msg_1", type: "message", role: "assistant" }
const at = { item_id: "msg_1", output_index: 0, content_index: 0 }
const part = { type: "output_text", text: words.join(""), annotations: [] }
const message = { ...item, status: "completed", content: [part] }
const response = { id: "resp_1", object: "response", created_at: 1, model: "m" }
const usage = { input_tokens: 9, output_tokens: 6, total_tokens: 15 }
const responseFrames = [
  { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
  { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
  ...words.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
  { type: "response.output_text.done", ...at, text: part.text },
  { type: "response.content_part.done", ...at, part },
  { type: "response.output_item.done", output_index: 0, item: message },
  { type: "response.completed", response: { ...response, status: "completed", output: [message], usage } }
].map((value, sequence_number) => frame({ ...value, sequence_number }))

/** Frames come in reads of their own: two in one read would be one walk. */
const streamed = (frames: ReadonlyArray<string>) =>
  new Response(
    new ReadableStream<string>({
      async start(controller) {
        for (const one of frames) {
          controller.enqueue(one)
          await Bun.sleep(5)
        }
        controller.close()
      }
    }),
    { headers: { "content-type": "text/event-stream" } }
  )

const price = { input: 1, output: 2 }
const system = "You are a helpful assistant that answers briefly. ".repeat(12)
const asked = "Count to six, please. ".repeat(20)

/** Streamed requests of a caller with a balance, for a model with a price. */
export const walks = {
  "message to a chat upstream": {
    path: "/v1/messages",
    body: { model: "chat", max_tokens: 100, stream: true, system, messages: [{ role: "user", content: asked }] }
  },
  "response passed through": {
    path: "/v1/responses",
    body: { model: "responses", stream: true, store: false, instructions: system, input: asked }
  },
  "chat passed through": {
    path: "/v1/chat/completions",
    body: {
      model: "chat",
      stream: true,
      messages: [
        { role: "system", content: system },
        { role: "user", content: asked }
      ]
    }
  }
} as const
export type WalkName = keyof typeof walks

export interface Walker {
  /** What the gateway does for one request, until its row is stored. */
  readonly record: (name: WalkName) => Promise<Recording>
  readonly stop: () => Promise<void>
}

/** Starts a traced gateway on SQLite, and an upstream. */
export const startWalker = async (): Promise<Walker> => {
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      await request.text()
      return streamed(request.url.endsWith("/responses") ? responseFrames : chatFrames)
    }
  })
  const folder = mkdtempSync(join(tmpdir(), "gateway-walks-"))
  const base_url = `http://127.0.0.1:${upstream.port}/v1`
  const config = {
    upstreams: {
      chat: { protocol: "openai-chat", base_url },
      responses: { protocol: "openai-responses", base_url }
    },
    models: {
      chat: { routes: [{ upstream: "chat" }], price },
      responses: { routes: [{ upstream: "responses" }], price }
    },
    keys: [{ name: "walker", account: "walker", secret }]
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))

  const listening = Promise.withResolvers<string>()
  const unix = join(folder, "walks")
  const source = join(import.meta.dirname, "../../src/main.ts")
  const child = Bun.spawn([process.execPath, "--preload", join(import.meta.dirname, "traced.ts"), source, "serve"], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GATEWAY_PORT: "0",
      BUN_JSC_useFTLJIT: "0",
      ...runtimeVariables,
      WALKS_SOCKET: unix
    }
  })
  const read = async () => {
    const decoder = new TextDecoder()
    let printed = ""
    for await (const bytes of child.stderr) {
      printed += decoder.decode(bytes, { stream: true })
      const url = /listens on (\S+)/.exec(printed)?.[1]
      if (url !== undefined) listening.resolve(url)
    }
    listening.reject(new Error(`the traced gateway ended:\n${printed}`))
  }
  void read()
  const url = await listening.promise

  const record = async (name: WalkName): Promise<Recording> => {
    const { body, path } = walks[name]
    await fetch("http://walks/", { unix, method: "POST" })
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01"
      },
      body: JSON.stringify(body)
    })
    const text = await answer.text()
    if (answer.status !== 200 || !text.includes(" six")) throw new Error(`${answer.status} ${text}`)
    return (await (await fetch("http://walks/", { unix })).json()) as Recording
  }
  return {
    record,
    stop: async () => {
      child.kill("SIGKILL")
      await child.exited
      await upstream.stop(true)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
