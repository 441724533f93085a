import type { NestedSamples } from "./values.ts"
import { cache_control, parameters, place, png, said, schema, text, textBlock } from "./values.ts"

const source = { type: "base64", media_type: "text/plain", data: text }
const image = { type: "base64", media_type: "image/png", data: png }

export const messages: NestedSamples = {
  path: "/v1/messages",
  own: "anthropic-messages",
  schema: "MessagesCreate",
  samples: [
    {
      system: [{ type: "text", text: "Be brief.", cache_control }],
      messages: [
        {
          role: "user",
          content: [
            textBlock,
            { type: "image", source: image, cache_control },
            { type: "document", source, title: "t", context: "c", citations: { enabled: true }, cache_control },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "Hello" } },
            { type: "file", source, title: "t", cache_control },
            { type: "file_data", media_type: "text/plain", data: text, title: "t", cache_control },
            {
              type: "search_result",
              source: "https://a.example",
              title: "t",
              content: [{ type: "text", text: "c" }],
              citations: { enabled: true },
              cache_control
            }
          ]
        }
      ],
      output_config: { effort: "low", format: { type: "json_schema", schema } }
    },
    {
      messages: [
        said,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "t", signature: "s" },
            {
              type: "text",
              text: "Old",
              citations: [
                {
                  type: "web_search_result_location",
                  url: "https://a.example",
                  title: "t",
                  encrypted_index: "e",
                  cited_text: "c"
                }
              ]
            },
            { type: "tool_use", id: "toolu_1", name: "f", input: {}, cache_control }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "ok", is_error: true, cache_control },
            textBlock
          ]
        }
      ],
      tools: [{ type: "custom", name: "f", description: "d", input_schema: schema, strict: true, cache_control }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      thinking: { type: "adaptive", display: "summarized" },
      metadata: { user_id: "u" }
    },
    {
      messages: [said],
      tools: [{ name: "f", input_schema: parameters }],
      tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true }
    },
    {
      messages: [said],
      tools: [{ name: "f", input_schema: parameters }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 2_000, display: "omitted" }
    },
    {
      messages: [
        said,
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" }, cache_control },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: [
                {
                  type: "web_search_result",
                  url: "https://a.example",
                  title: "t",
                  encrypted_content: "e",
                  page_age: "1 day"
                }
              ],
              cache_control
            }
          ]
        },
        said
      ]
    },
    {
      messages: [said],
      tools: [
        {
          type: "web_search_20250305",
          name: "web_search",
          max_uses: 3,
          allowed_domains: ["a.example"],
          user_location: place,
          cache_control
        }
      ]
    },
    { messages: [said], tools: [{ type: "web_search_20250305", name: "web_search", blocked_domains: ["a.example"] }] }
  ],
  neutral: [
    // Fields with one possible value, or one that the others tell.
    "MessagesCreate.system[].type",
    "MessagesCustomTool.type",
    "MessagesWebSearchTool.name",
    "MessagesWebSearchTool.user_location.type",
    "MessagesImageBlock.source.media_type",
    "MessagesDocumentBlock.source.media_type",
    "MessagesDocumentBlock.source.content[].source.media_type",
    "MessagesFileBlock.source.media_type",
    // What an answer told its reader; the model wrote the text.
    "MessagesTextBlock.citations",
    ...["url", "title", "encrypted_index", "cited_text"].map((name) => `MessagesTextBlock.citations[].${name}`),
    "MessagesWebSearchToolResultBlock.content[].page_age",
    // A model reads its own reasoning alone, and only inside a tool loop.
    "MessagesThinkingBlock.signature",
    // The answer is shown as it says.
    "MessagesCreate.thinking.display",
    // Tools and blocks that only upstreams of the dialect understand are named as a whole.
    "MessagesHostedTool.name",
    ..."ToolReference ClientTool HostedTool ToolAdditionBlock ToolRemovalBlock HostedBlock"
      .split(" ")
      .map((name) => `Messages${name}.cache_control`)
  ]
}
