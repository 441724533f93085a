import { input, unservedInput } from "./inputExamples.ts"
import { addedTools, conversations, conversationsUnserved } from "./conversationExamples.ts"
import {
  breakpoint,
  csv,
  messageOthers,
  messageShared,
  messageUnserved,
  png,
  schema,
  serverChanges
} from "./messageExamples.ts"
import { chatOptions, chatOthers, chatTools, chatUnserved, completions, completionsUnserved } from "./chatExamples.ts"
import { wholeExamples } from "./wholeExamples.ts"
import { responseOthers, responseTools } from "./responseExamples.ts"

const pngUrl = `data:image/png;base64,${png}`

const sampling = {
  max_tokens: 2000,
  stream: false,
  async: false,
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: ["END"],
  metadata: { user_id: "u1" }
}

const responseShared = {
  model: "sandbox-text",
  input,
  instructions: "You are a test.",
  tools: responseTools,
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "low", summary: "auto", generate_summary: "auto" },
  text: {
    format: { type: "json_schema", name: "answer", description: "An answer", schema, strict: true },
    verbosity: "low"
  },
  truncation: "auto"
}

const responseOptions = {
  max_output_tokens: 200,
  max_tool_calls: 2,
  temperature: 0.5,
  top_p: 0.9,
  stream: false,
  store: false,
  include: ["web_search_call.action.sources"],
  metadata: { a: "b" },
  service_tier: "default",
  prompt_cache_key: "k",
  prompt_cache_retention: "24h",
  safety_identifier: "u1",
  user: "u1",
  top_logprobs: 0,
  background: false
}

const chatCall = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }

const chatMessages = [
  { role: "developer", content: "Be brief.", name: "boss" },
  { role: "system", content: [{ type: "text", text: "You are a test.", cache_control: breakpoint }] },
  {
    role: "user",
    content: [
      { type: "text", text: "Look at these." },
      { type: "image_url", image_url: { url: pngUrl, detail: "low" }, cache_control: breakpoint },
      {
        type: "file",
        file: { file_data: `data:text/csv;base64,${csv}`, filename: "a.csv" },
        cache_control: breakpoint
      }
    ]
  },
  {
    role: "assistant",
    content: [{ type: "refusal", refusal: "No." }],
    refusal: "No.",
    reasoning_content: "Hm.",
    reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
    images: [{ type: "image_url", index: 0, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
    tool_calls: [chatCall, { id: "call_2", type: "custom", custom: { name: "run", input: "x" } }]
  },
  { role: "tool", tool_call_id: "call_1", content: "Sunny", cache_control: breakpoint },
  { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "done" }] },
  { role: "assistant", function_call: { name: "weather", arguments: "{}" } },
  { role: "function", name: "weather", content: "Sunny" }
]

const chatBody = { model: "sandbox-text", messages: chatMessages, tools: chatTools, ...chatOptions }

const videoOptions = {
  callback_url: "https://files.invalid/hook",
  return_last_frame: true,
  execution_expires_after: 3600,
  generate_audio: true,
  ratio: "16:9",
  resolution: "480p",
  duration: 5,
  frames: 29,
  seed: 7,
  watermark: false,
  tools: [{ type: "web_search" }],
  safety_identifier: "u1",
  service_tier: "default",
  draft: false,
  camera_fixed: false,
  priority: 1,
  output_format: "mp4",
  omni_reference_task_type: "subject"
}

const openAIVideo = {
  model: "sandbox-video",
  prompt: "A cat",
  seconds: "4",
  size: "864x496",
  callback_url: "https://callbacks.invalid/"
}

const video = (...content: ReadonlyArray<unknown>) => ({ model: "sandbox-video", content })

const compactable = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(["model", "instructions", "input"].flatMap((name) => (name in body ? [[name, body[name]]] : [])))

/**
 * Bodies that use every field of every request the contract takes, by `group.endpoint`. The table tests break each rule
 * once in these and fail where a field, or an endpoint with a body, has no example.
 */
export const examples: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> = {
  "messages.create": [
    { ...messageShared, ...sampling },
    ...messageOthers.map((body) => ({ ...body, max_tokens: 2000 }))
  ],
  "messages.countTokens": [messageShared, ...messageOthers],
  "responses.create": [{ ...responseShared, ...responseOptions }, ...responseOthers],
  "responses.inputTokens": [responseShared, ...responseOthers],
  "responses.compact": [responseShared, ...responseOthers].map(compactable),
  ...conversations,
  "chat.create": [chatBody, ...chatOthers],
  "completions.create": completions,
  ...wholeExamples,
  "videos.create": [
    {
      ...video(
        { type: "text", text: "A cat" },
        { type: "image_url", role: "reference_image", image_url: { url: pngUrl } },
        { type: "video_url", role: "reference_video", video_url: { url: "https://files.invalid/a.mp4" } },
        { type: "audio_url", role: "reference_audio", audio_url: { url: "https://files.invalid/a.mp3" } }
      ),
      ...videoOptions
    },
    video({ type: "text", text: "A cat" }, { type: "image_url", role: "first_frame", image_url: { url: pngUrl } })
  ],
  "openaiVideos.create": [
    { ...openAIVideo, seed: 7, generate_audio: true, input_reference: { image_url: pngUrl } },
    {
      ...openAIVideo,
      seconds: 4,
      seed: "7",
      generate_audio: "false",
      input_reference: [{ image_url: pngUrl }, pngUrl]
    },
    { ...openAIVideo, input_reference: pngUrl }
  ],
  "account.quote": [
    { ...messageShared, ...sampling },
    { ...responseShared, ...responseOptions },
    video({ type: "text", text: "A cat" }),
    { endpoint: "/v1/messages", body: { ...messageShared, ...sampling } },
    { endpoint: "/v1/chat/completions", body: chatBody }
  ]
}

const responseUnserved = {
  model: "sandbox-text",
  input: unservedInput,
  previous_response_id: "resp_unknown",
  tools: [{ type: "file_search" }],
  tool_choice: { type: "file_search" },
  conversation: "conv_1"
}

const servers = {
  model: "sandbox-text",
  input: "Hello",
  tool_choice: { type: "mcp", server_label: "wiki", name: "search" }
}

const allowedServers = {
  model: "sandbox-text",
  input: "Hello",
  tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "mcp", server_label: "wiki" }] }
}

const inUpstreams = { model: "sandbox-text", input: "Hello", conversation: { id: "conv_1" } }

/** Bodies of fields that the contract knows and the sandbox, or the gateway, has nothing to answer with. */
export const unserved: typeof examples = {
  "messages.create": [
    { ...messageUnserved, max_tokens: 100 },
    {
      model: "sandbox-text",
      max_tokens: 100,
      messages: "Hello",
      thread: { type: "continue", previous_message_id: "msg_1" }
    },
    { model: "sandbox-text", max_tokens: 100, messages: serverChanges }
  ],
  "messages.countTokens": [messageUnserved, { model: "sandbox-text", messages: serverChanges }],
  "responses.create": [{ ...responseUnserved, prompt: { id: "pmpt_1" } }, inUpstreams, servers, allowedServers],
  "responses.inputTokens": [responseUnserved, inUpstreams, servers, allowedServers],
  "responses.compact": [
    { ...compactable(responseUnserved), previous_response_id: "resp_1" },
    { model: "sandbox-text", input: [addedTools] }
  ],
  ...conversationsUnserved,
  "chat.create": [chatUnserved],
  "completions.create": completionsUnserved,
  "videos.create": [{ ...video({ type: "draft_task", draft_task: { id: "cgt-1" } }) }]
}
