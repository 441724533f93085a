/** What the gateway is configured with: every family, metered, priced and limited, as its users run it. */
export const configuration = (texts: string, outside: string, secret: string) => `upstreams:
  messages: { protocol: anthropic-messages, base_url: "${texts}", api_key: upstream-key }
  chat: { protocol: openai-chat, base_url: "${texts}/v1", api_key: upstream-key }
  responses: { protocol: openai-responses, base_url: "${texts}/v1", api_key: upstream-key }
  videos: { protocol: ark-video, base_url: "${outside}/api/v3", api_key: upstream-key }
models:
  messages: { routes: [{ upstream: messages, model: json-${bytes} }], price: { input: 1, output: 2 } }
  chat: { routes: [{ upstream: chat, model: json-${bytes} }], price: { input: 1, output: 2 } }
  responses: { routes: [{ upstream: responses, model: json-${bytes} }], price: { input: 1, output: 2 } }
  messages-stream: { routes: [{ upstream: messages, model: paced-${events} }], price: { input: 1, output: 2 } }
  chat-stream: { routes: [{ upstream: chat, model: paced-${events} }], price: { input: 1, output: 2 } }
  video: { routes: [{ upstream: videos, model: m }], price: { per_second: 0.25 } }
callbacks: { allow: ["127.0.0.0/8"] }
keys:
  - name: soak
    secret: ${secret}
    account: soak
    models: ["*"]
    balance_usd: 1000000
    limits: { requests_per_minute: 100000000, tokens_per_minute: 100000000000 }
`

const bytes = 1_000
const events = 10

/** A request of one kind, how often it comes among a hundred, and what its whole answer must be. */
export interface Kind {
  readonly name: string
  readonly weight: number
  readonly path: string
  readonly body: object
  readonly isRight: (answer: string) => boolean
}

const say = { messages: [{ role: "user", content: "Say something of this length." }] }
const message = { ...say, max_tokens: 1000 }
const words = /^(word )+$/
const isMessage = (answer: string) => {
  const { content, usage } = JSON.parse(answer) as {
    content: Array<{ text: string }>
    usage: { output_tokens: number }
  }
  return words.test(content[0]?.text ?? "") && usage.output_tokens === 200
}
const isCompletion = (answer: string) => {
  const { choices, usage } = JSON.parse(answer) as {
    choices: Array<{ message: { content: string } }>
    usage: { completion_tokens: number }
  }
  return words.test(choices[0]?.message.content ?? "") && usage.completion_tokens === 200
}
const isResponse = (answer: string) => {
  const { output, status } = JSON.parse(answer) as {
    output: Array<{ content: Array<{ text: string }> }>
    status: string
  }
  return words.test(output[0]?.content[0]?.text ?? "") && status === "completed"
}
/** Every piece of text carries the time of its sending. */
const isStream = (end: string) => (answer: string) =>
  (answer.match(/@\d+\.\d{3} /g) ?? []).length === events && answer.trimEnd().endsWith(end)
const isMessageStream = isStream(`data: {"type":"message_stop"}`)

/** The kinds of the mix. `hook` is where a task's callbacks go. */
export const kinds = (hook: string): ReadonlyArray<Kind> => [
  {
    name: "messages passed through",
    weight: 25,
    path: "/v1/messages",
    body: { model: "messages", ...message },
    isRight: isMessage
  },
  {
    name: "messages to a chat upstream",
    weight: 13,
    path: "/v1/messages",
    body: { model: "chat", ...message },
    isRight: isMessage
  },
  {
    name: "chat passed through",
    weight: 20,
    path: "/v1/chat/completions",
    body: { model: "chat", ...say },
    isRight: isCompletion
  },
  {
    name: "responses, unstored",
    weight: 13,
    path: "/v1/responses",
    body: { model: "responses", input: "Say something.", store: false },
    isRight: isResponse
  },
  {
    name: "responses, stored",
    weight: 13,
    path: "/v1/responses",
    body: { model: "responses", input: "Say something." },
    isRight: isResponse
  },
  {
    name: "streams passed through",
    weight: 6,
    path: "/v1/messages",
    body: { model: "messages-stream", ...message, stream: true },
    isRight: isMessageStream
  },
  {
    name: "streams translated",
    weight: 6,
    path: "/v1/messages",
    body: { model: "chat-stream", ...message, stream: true },
    isRight: isMessageStream
  },
  {
    name: "streams of chat passed through",
    weight: 2,
    path: "/v1/chat/completions",
    body: { model: "chat-stream", ...say, stream: true },
    isRight: isStream("data: [DONE]")
  },
  {
    name: "video tasks with callbacks",
    weight: 2,
    path: "/api/v3/contents/generations/tasks",
    body: { model: "video", content: [{ type: "text", text: "a cat" }], callback_url: hook },
    isRight: (answer) => typeof (JSON.parse(answer) as { id: string }).id === "string"
  }
]

/** What is asked of the upstream without the gateway, to see what the machine does. */
export const direct: Kind = {
  name: "the upstream alone",
  weight: 0,
  path: "/v1/messages",
  body: { model: `json-${bytes}`, ...message },
  isRight: isMessage
}
