import { Effect } from "effect"
import type { Scope } from "effect"

/** Pieces of text in a streamed answer: enough that reading and writing them is seen to be worth compiling. */
const pieces = 24
/** How many of them come together, as upstreams' do. */
const together = 4

const words = Array.from({ length: pieces }, (_, index) => `word${index} `)
const text = words.join("")

/** What only a whole answer has. */
export const lastWord = `word${pieces - 1}`

const when = 1_700_000_000

const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

interface Dialect {
  readonly whole: string
  /** The server-sent events of a streamed answer. */
  readonly stream: ReadonlyArray<string>
}

const messageOf = (content: ReadonlyArray<object>, stop: string | null) => ({
  id: "msg_canned",
  type: "message",
  role: "assistant",
  model: "canned",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: pieces }
})

const messages: Dialect = {
  whole: JSON.stringify(messageOf([{ type: "text", text }], "end_turn")),
  stream: [
    event({ type: "message_start", message: messageOf([], null) }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((word) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } })),
    event({ type: "content_block_stop", index: 0 }),
    event({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: pieces }
    }),
    event({ type: "message_stop" })
  ]
}

const completionUsage = { prompt_tokens: 40, completion_tokens: pieces, total_tokens: 40 + pieces }
const completionOf = (object: string, choices: ReadonlyArray<object>, usage: object | null) => ({
  id: "chatcmpl-canned",
  object,
  created: when,
  model: "canned",
  choices,
  usage
})
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify(completionOf("chat.completion.chunk", [{ index: 0, delta, finish_reason: finish }], null))}\n\n`

const chat: Dialect = {
  whole: JSON.stringify(
    completionOf(
      "chat.completion",
      [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      completionUsage
    )
  ),
  stream: [
    chunk({ role: "assistant", content: "" }),
    ...words.map((content) => chunk({ content })),
    chunk({}, "stop"),
    `data: ${JSON.stringify(completionOf("chat.completion.chunk", [], completionUsage))}\n\n`,
    "data: [DONE]\n\n"
  ]
}

const part = (said: string) => ({ type: "output_text", text: said, annotations: [] })
const itemOf = (status: string, content: ReadonlyArray<object>) => ({
  id: "msg_canned",
  type: "message",
  role: "assistant",
  status,
  content
})
const responseOf = (status: string, output: ReadonlyArray<object>, usage: object | null) => ({
  id: "resp_canned",
  object: "response",
  created_at: when,
  status,
  model: "canned",
  output,
  usage
})
const responseUsage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: pieces,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 40 + pieces
}
const completed = responseOf("completed", [itemOf("completed", [part(text)])], responseUsage)
const place = { item_id: "msg_canned", output_index: 0, content_index: 0 }

const responses: Dialect = {
  whole: JSON.stringify(completed),
  stream: [
    { type: "response.created", response: responseOf("in_progress", [], null) },
    { type: "response.in_progress", response: responseOf("in_progress", [], null) },
    { type: "response.output_item.added", output_index: 0, item: itemOf("in_progress", []) },
    { type: "response.content_part.added", ...place, part: part("") },
    ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: part(text) },
    { type: "response.output_item.done", output_index: 0, item: itemOf("completed", [part(text)]) },
    { type: "response.completed", response: completed }
  ].map((data, index) => event({ ...data, sequence_number: index }))
}

const utf8 = new TextEncoder()

const json = { "content-type": "application/json" }
const sse = { "content-type": "text/event-stream" }

/** Says the same to everybody. */
const saying = ({ stream, whole }: Dialect) => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < stream.length; at += together)
    chunks.push(utf8.encode(stream.slice(at, at + together).join("")))
  return async (request: Request): Promise<Response> => {
    const asked: unknown = await request.json()
    const isStreamed = typeof asked === "object" && asked !== null && "stream" in asked && asked.stream === true
    if (!isStreamed) return new Response(whole, { headers: json })
    let next = 0
    const body = new ReadableStream<Uint8Array>({
      // One at a time and not at once: whoever reads them waits for each, as for an upstream's.
      pull: async (controller) => {
        await Bun.sleep(0)
        const bytes = chunks[next++]
        if (bytes === undefined) controller.close()
        else controller.enqueue(bytes)
      }
    })
    return new Response(body, { headers: sse })
  }
}

/**
 * An upstream of this process' own that speaks the three dialects of texts and says the same to everybody, until the
 * scope closes.
 * @returns its address, without a slash at its end
 */
export const cannedUpstream: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      development: false,
      // Whoever of this machine comes by, and sends something else, is told no more than that.
      error: () => new Response(null, { status: 500 }),
      routes: {
        "/v1/messages": { POST: saying(messages) },
        "/v1/chat/completions": { POST: saying(chat) },
        "/v1/responses": { POST: saying(responses) }
      }
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
).pipe(Effect.map(({ url }) => url.origin))
