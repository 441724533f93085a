import type { NestedSamples } from "./values.ts"
import { cache_control, place, png, said, schema, text, textBlock } from "./values.ts"

const chatTool = { type: "function", function: { name: "f", description: "d", parameters: schema, strict: true } }
const marked = { ...chatTool, cache_control }

export const chat: NestedSamples = {
  path: "/v1/chat/completions",
  own: "openai-chat",
  schema: "ChatCreateCompletion",
  samples: [
    {
      messages: [
        {
          role: "user",
          name: "ada",
          content: [
            textBlock,
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "high" }, cache_control },
            {
              type: "file",
              file: { file_data: `data:text/plain;base64,${text}`, filename: "a.txt" },
              cache_control
            }
          ]
        }
      ],
      tools: [marked],
      response_format: { type: "json_schema", json_schema: { name: "n", description: "d", schema, strict: true } }
    },
    {
      messages: [
        { ...said, cache_control },
        {
          role: "assistant",
          content: "Old",
          refusal: "No",
          reasoning_content: "r",
          audio: { id: "a" },
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }]
        },
        { role: "tool", tool_call_id: "c1", content: "ok" },
        said
      ],
      tools: [
        {
          type: "custom",
          custom: {
            name: "c",
            description: "d",
            format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } }
          },
          cache_control
        },
        chatTool
      ]
    },
    {
      messages: [
        said,
        { role: "assistant", content: "Hm", function_call: { name: "f", arguments: "{}" } },
        { role: "function", content: "ok" },
        said
      ],
      functions: [{ name: "f", description: "d", parameters: schema, strict: true }]
    },
    {
      messages: [said],
      web_search_options: { search_context_size: "high", user_location: { type: "approximate", approximate: place } }
    }
  ],
  neutral: [
    "ChatReplayedFunctionCall.type",
    // Claude keeps to a schema always.
    "ChatCreateCompletion.response_format.json_schema.strict",
    // Only upstreams of the dialect store files: a 400 elsewhere.
    "ChatFilePart.file.file_id",
    // The gateway's own seals, which their model alone gets.
    "ChatInputMessage.reasoning_details",
    // Gemini gets them back; elsewhere they are named `image`.
    "ChatInputMessage.images",
    "ChatCreateCompletion.stream_options.include_usage",
    "ChatCreateCompletion.stream_options.include_obfuscation"
  ]
}
