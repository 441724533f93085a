import type { GenerationEvent, Usage } from "../../src/generation/GenerationEvent.ts"

const usage = (outputTokens: number): Usage => ({
  inputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  reasoningTokens: 0,
  searches: 0
})

const started: GenerationEvent = { type: "started", usage: usage(0) }
const hello: ReadonlyArray<GenerationEvent> = [
  { type: "text-start" },
  { type: "text-delta", text: "Hello" },
  { type: "text-end" }
]
const finished: ReadonlyArray<GenerationEvent> = [
  { type: "usage", usage: usage(5) },
  { type: "finished", reason: "stop", stopSequence: null }
]

/** What a model did in each of the reference streams. */
export const events = {
  text: [started, ...hello, ...finished],
  tool: [
    started,
    { type: "tool-call-start", callId: "toolu_1", name: "get_weather", kind: "function" },
    { type: "tool-call-delta", callId: "toolu_1", text: '{"city":"Paris"}' },
    { type: "tool-call-end", callId: "toolu_1" },
    ...finished
  ],
  reason: [
    started,
    { type: "reasoning-start" },
    { type: "reasoning-delta", text: "hm" },
    { type: "reasoning-end", signature: "c2ln" },
    ...hello,
    ...finished
  ],
  search: [
    started,
    { type: "search-start", id: "srvtoolu_1", query: "x" },
    {
      type: "search-end",
      id: "srvtoolu_1",
      outcome: { type: "results", results: [{ url: "https://e.com", title: "E", text: "e", pageAge: null }] }
    },
    ...hello,
    ...finished
  ]
} satisfies Record<string, ReadonlyArray<GenerationEvent>>

const start = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"gw-text","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1}}}

`

const helloAt = (index: number) => `event: content_block_start
data: {"type":"content_block_start","index":${index},"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"Hello"}}

event: content_block_stop
data: {"type":"content_block_stop","index":${index}}

`

const stop = (reason: string) => `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"${reason}","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

`

/** Streams that the Anthropic and Vercel clients read, byte for byte, but for the opaque content of a search result. */
export const streams = {
  text: start + helloAt(0) + stop("end_turn"),
  tool: `${start}event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"city\\":\\"Paris\\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

${stop("tool_use")}`,
  reason: `${start}event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

${helloAt(1)}${stop("end_turn")}`,
  search: `${start}event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"query\\":\\"x\\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://e.com","title":"E","encrypted_content":"<opaque>","page_age":null}]}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

${helloAt(2)}${stop("end_turn")}`
}
