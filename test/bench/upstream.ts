/**
 * The bench's upstream: answers at once, as Anthropic's messages, chat completions and OpenAI's responses. The model's name says what:
 * `json-<bytes>` a synchronous answer of about that size, `fast` a stream of 200 events written as quickly as the socket
 * takes them, `paced` the same with 20 ms between events and the time each was sent in its text, `slow` with 200 ms;
 * `paced-<events>` has so many. Prints its address.
 */
const events = 200
const utf8 = new TextEncoder()

const usage = {
  input_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 200
}

const message = (text: string) =>
  JSON.stringify({
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model: "bench",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage
  })

const completion = (text: string) =>
  JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "bench",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 }
  })

const response = (text: string) =>
  JSON.stringify({
    id: "resp_bench",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    model: "bench",
    output: [
      {
        id: "msg_bench",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }]
      }
    ],
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 200,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 220
    }
  })

const anthropicEvent = (data: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const chatEvent = (data: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", ...data })}\n\n`

/** One dialect's stream: what comes before, one piece of text, what comes after. */
interface Dialect {
  readonly before: string
  readonly piece: (text: string) => string
  readonly after: string
}

const anthropic: Dialect = {
  before:
    anthropicEvent({
      type: "message_start",
      message: { ...JSON.parse(message("")), content: [], stop_reason: null }
    }) + anthropicEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  piece: (text) => anthropicEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  after:
    anthropicEvent({ type: "content_block_stop", index: 0 }) +
    anthropicEvent({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage }) +
    anthropicEvent({ type: "message_stop" })
}

const chat: Dialect = {
  before: chatEvent({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }),
  piece: (text) => chatEvent({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
  after:
    chatEvent({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
    chatEvent({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 } }) +
    "data: [DONE]\n\n"
}

const fast = (dialect: Dialect) => {
  const piece = utf8.encode(dialect.piece("token "))
  return (events: number) => {
    let sent = -1
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++
        if (sent === 0) controller.enqueue(utf8.encode(dialect.before))
        else if (sent <= events) controller.enqueue(piece)
        else {
          controller.enqueue(utf8.encode(dialect.after))
          controller.close()
        }
      }
    })
  }
}

const paced = (dialect: Dialect, everyMs: number) => (events: number) => {
  let timer: ReturnType<typeof setInterval>
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let sent = 0
      controller.enqueue(utf8.encode(dialect.before))
      timer = setInterval(() => {
        if (sent++ < events) {
          // Both processes of one machine read the same clock.
          const now = performance.timeOrigin + performance.now()
          controller.enqueue(utf8.encode(dialect.piece(`@${now.toFixed(3)} `)))
          return
        }
        clearInterval(timer)
        controller.enqueue(utf8.encode(dialect.after))
        controller.close()
      }, everyMs)
    },
    cancel: () => clearInterval(timer)
  })
}

const answering = (json: (text: string) => string, dialect: Dialect) => {
  const streams = { fast: fast(dialect), paced: paced(dialect, 20), slow: paced(dialect, 200) }
  const bodies = new Map<string, string>()
  return async (request: Request) => {
    const { model, stream } = (await request.json()) as { model: string; stream?: boolean }
    const [kind = "", number] = model.split("-")
    if (stream === true) {
      const begin = kind === "paced" || kind === "slow" ? streams[kind] : streams.fast
      return new Response(begin(Number(number ?? events)), { headers: { "content-type": "text/event-stream" } })
    }
    const size = Number(number ?? 200)
    const known = bodies.get(model) ?? json("word ".repeat(Math.max(1, (size - json("").length) / 5)))
    bodies.set(model, known)
    return new Response(known, { headers: { "content-type": "application/json" } })
  }
}

const models = ["json-1000", "paced-20", "paced-100"].map((id) => ({
  id,
  object: "model",
  type: "model",
  display_name: id,
  created: 1_700_000_000,
  created_at: "2026-01-01T00:00:00Z",
  owned_by: "bench"
}))

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  idleTimeout: 0,
  routes: {
    "/v1/messages": { POST: answering(message, anthropic) },
    "/v1/chat/completions": { POST: answering(completion, chat) },
    // What it has, as both dialects list it: some gateways ask before they pass anything on.
    "/v1/models": { GET: () => Response.json({ object: "list", data: models, has_more: false }) },
    // Only in one piece.
    "/v1/responses": { POST: answering(response, chat) }
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)

export {}
