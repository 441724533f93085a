export interface Upstream {
  readonly url: string
  /** Calls so far. */
  readonly calls: () => number
  /** What it answers next; 200 with one token otherwise. */
  readonly failNext: (times: number) => void
  /** Holds all answers until the returned function is called. */
  readonly hold: () => () => void
  readonly stop: () => void
}

/** A message of one token, as a stream's frames; a stream ends with the last of them. */
const messageFrames = (message: object, text: string) => [
  { type: "message_start", message: { ...message, content: [], usage: { input_tokens: 1, output_tokens: 0 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...Array.from(text, (letter) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: letter }
  })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: "message_stop" }
]

/**
 * Speaks chat completions and messages: a word of one token, slowly enough for requests to meet, streamed where asked. And
 * embeddings, rerank, and Ark's video tasks, which are done when they are asked for; a prompt with `fails` fails, one with `waits` stays in the queue.
 */
export const upstream = (): Upstream => {
  const videos = new Map<string, string>()
  const video = (request: Request, id: string, prompt: string | undefined) => {
    if (prompt === undefined)
      return Response.json({ error: { code: "ResourceNotFound", message: "no" } }, { status: 404 })
    if (request.method === "DELETE") return Response.json({})
    const record = { id, model: "m", created_at: 1, updated_at: 2 }
    if (prompt.includes("waits")) return Response.json({ ...record, status: "queued" })
    if (prompt.includes("fails"))
      return Response.json({ ...record, status: "failed", error: { code: "No", message: "no" } })
    const usage = { completion_tokens: 12_555, total_tokens: 12_555 }
    const content = { video_url: "https://media.example.com/a.mp4" }
    // The first frame beside those that were asked for.
    return Response.json({ ...record, status: "succeeded", content, usage, frames: 30 })
  }
  let calls = 0
  let failures = 0
  let held = Promise.resolve()
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const [, id] = /^\/api\/v3\/contents\/generations\/tasks\/(.*)$/.exec(pathname) ?? []
      if (id !== undefined) return video(request, id, videos.get(id))
      calls++
      if (pathname.startsWith("/api/v3")) {
        const made = `cgt-${calls}`
        videos.set(made, await request.text())
        return Response.json({ id: made })
      }
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean }
      await Promise.all([Bun.sleep(100), held])
      if (failures > 0) {
        failures--
        return Response.json({ error: { message: "bad request", type: "invalid_request_error" } }, { status: 400 })
      }
      if (pathname === "/v1/embeddings") {
        const data = [{ object: "embedding", index: 0, embedding: [calls] }]
        return Response.json({ object: "list", data, model, usage: { prompt_tokens: 8, total_tokens: 8 } })
      }
      if (pathname === "/v1/rerank") {
        const results = [{ index: 0, relevance_score: 1 / calls }]
        return Response.json({ id: `rerank-${calls}`, results, meta: { billed_units: { search_units: 1 } } })
      }
      if (pathname === "/v1/messages") {
        const text = `Hi ${calls}`
        const message = { id: `msg_${calls}`, type: "message", role: "assistant", model, stop_reason: null }
        if (stream !== true) {
          const told = { stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } }
          return Response.json({ ...message, ...told, content: [{ type: "text", text }] })
        }
        return slowly(messageFrames(message, text).map((frame) => `event: ${frame.type}\n${dataOf(frame)}`))
      }
      const common = { id: `chatcmpl-${calls}`, created: 1, model }
      if (stream !== true) {
        const choices = [{ index: 0, message: { role: "assistant", content: `Hi ${calls}` }, finish_reason: "stop" }]
        return Response.json({ ...common, object: "chat.completion", choices, usage })
      }
      const chunk = (more: object) => dataOf({ ...common, object: "chat.completion.chunk", ...more })
      return slowly([
        ...["H", "i", ` ${calls}`].map((content) =>
          chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
        ),
        `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })}data: [DONE]\n\n`
      ])
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls: () => calls,
    failNext: (times) => void (failures = times),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    stop: () => void server.stop(true)
  }
}

const dataOf = (frame: object) => `data: ${JSON.stringify(frame)}\n\n`

/** A stream of these pieces. */
const slowly = (pieces: ReadonlyArray<string>) =>
  new Response(
    new ReadableStream<string>({
      start: async (controller) => {
        for (const [index, piece] of pieces.entries()) {
          if (index > 0) await Bun.sleep(30)
          controller.enqueue(piece)
        }
        controller.close()
      }
    }).pipeThrough(new TextEncoderStream()),
    { headers: { "content-type": "text/event-stream" } }
  )
