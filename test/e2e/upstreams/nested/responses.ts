import type { NestedSamples } from "./values.ts"
import { parameters, place, png, said, schema, text } from "./values.ts"

const call = (more: object, output: string, type: string) => [
  { type, ...more },
  { type: `${type}_output`, id: "o_1", call_id: "c1", output, status: "completed" }
]

export const responses: NestedSamples = {
  path: "/v1/responses",
  own: "openai-responses",
  schema: "ResponsesCreate",
  samples: [
    {
      input: [
        {
          type: "message",
          id: "msg_1",
          status: "completed",
          role: "user",
          content: [
            { type: "input_text", text: "play:text" },
            { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "high" },
            { type: "input_file", file_data: `data:text/plain;base64,${text}`, filename: "a.txt" }
          ]
        }
      ],
      reasoning: { effort: "high", summary: "auto" },
      text: { format: { type: "json_schema", name: "n", description: "d", schema, strict: true }, verbosity: "low" }
    },
    { input: [said], reasoning: { effort: "high", generate_summary: "detailed" } },
    { input: [{ role: "user", content: [{ type: "input_file", file_url: "https://example.com/a.pdf" }] }, said] },
    {
      input: [
        said,
        {
          role: "assistant",
          content: [
            { type: "output_text", text: "Old", annotations: [{ type: "url_citation", url: "https://a.example" }] },
            { type: "refusal", refusal: "No" }
          ]
        },
        ...call(
          { id: "fc_1", call_id: "c1", name: "f", namespace: "ns", arguments: "{}", status: "completed" },
          "ok",
          "function_call"
        ),
        said
      ],
      tools: [
        { type: "function", name: "f", parameters },
        { type: "function", name: "g", description: "d", parameters: schema, strict: true },
        {
          type: "namespace",
          name: "ns",
          description: "d",
          tools: [{ type: "function", name: "f", description: "d", parameters }]
        }
      ],
      tool_choice: { type: "function", name: "f", namespace: "ns" }
    },
    {
      input: [
        said,
        ...call(
          { id: "x_1", call_id: "c1", name: "c", namespace: "ns", input: "i", status: "completed" },
          "ok",
          "custom_tool_call"
        ),
        {
          type: "additional_tools",
          id: "a",
          status: "completed",
          role: "developer",
          tools: [{ type: "custom", name: "d" }]
        },
        said
      ],
      tools: [
        {
          type: "custom",
          name: "a",
          description: "d",
          format: { type: "grammar", syntax: "lark", definition: "start: A" }
        },
        { type: "custom", name: "c" },
        { type: "namespace", name: "ns", tools: [{ type: "custom", name: "c" }] }
      ],
      tool_choice: { type: "custom", name: "c", namespace: "ns" }
    },
    {
      input: [said],
      tools: [
        { type: "function", name: "f" },
        { type: "namespace", name: "ns", tools: [{ type: "function", name: "f", parameters: schema }] }
      ],
      tool_choice: {
        type: "allowed_tools",
        mode: "required",
        tools: [{ type: "function", name: "f", namespace: "ns" }]
      }
    },
    {
      input: [
        said,
        {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "s" }],
          content: [{ type: "reasoning_text", text: "r" }],
          encrypted_content: "gAAAAx",
          status: "completed"
        },
        { role: "assistant", content: "Hi" },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
        said
      ]
    },
    {
      input: [
        said,
        {
          type: "tool_search_call",
          id: "t",
          status: "completed",
          call_id: "c1",
          execution: "client",
          arguments: { q: 1 }
        },
        {
          type: "tool_search_output",
          id: "t2",
          status: "completed",
          call_id: "c1",
          execution: "client",
          tools: [{ type: "function", name: "f", parameters }]
        },
        said
      ],
      tools: [{ type: "tool_search", execution: "client", description: "d", parameters: schema }]
    },
    {
      input: [
        said,
        { type: "shell_call", id: "i", status: "completed", call_id: "c1", action: { commands: ["ls"] } },
        {
          type: "shell_call_output",
          id: "i",
          status: "completed",
          call_id: "c1",
          output: [{ stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 0 } }]
        },
        { type: "local_shell_call", id: "i", status: "completed", call_id: "c2", action: { command: ["ls"] } },
        { type: "local_shell_call_output", id: "i", status: "completed", call_id: "c2", output: "a" },
        said
      ],
      tools: [{ type: "shell", environment: { type: "local" } }, { type: "local_shell" }]
    },
    {
      input: [
        said,
        {
          type: "apply_patch_call",
          id: "i",
          status: "completed",
          call_id: "c1",
          operation: { type: "delete_file", path: "a" }
        },
        { type: "apply_patch_call_output", id: "i", status: "failed", call_id: "c1", output: "no" },
        said
      ],
      tools: [{ type: "apply_patch" }],
      tool_choice: { type: "apply_patch" }
    },
    ...[{ action: { type: "wait" } }, { actions: [{ type: "wait" }] }].map((acting) => ({
      input: [
        said,
        { type: "computer_call", id: "i", status: "completed", call_id: "c1", ...acting },
        {
          type: "computer_call_output",
          id: "i",
          status: "completed",
          call_id: "c1",
          output: { type: "computer_screenshot", image_url: `data:image/png;base64,${png}` }
        },
        said
      ],
      tools: [{ type: "computer_use_preview", display_width: 8, display_height: 6, environment: "linux" }]
    })),
    {
      input: [said],
      tools: [
        {
          type: "web_search",
          filters: { allowed_domains: ["a.example"] },
          search_context_size: "high",
          user_location: place
        }
      ]
    },
    { input: [said], tools: [{ type: "web_search", filter: { blocked_domains: ["a.example"] } }] }
  ],
  neutral: [
    // Ids, states and roles of items, and fields with one possible value.
    ..."InputMessage ReplayedFunctionCall FunctionCallOutput ReplayedCustomToolCall CustomToolCallOutput"
      .split(" ")
      .concat("ReplayedReasoning ReplayedWebSearch AdditionalTools ReplayedToolSearchCall ToolSearchOutput".split(" "))
      .concat("ReplayedMcpApprovalRequest McpApprovalResponse".split(" "))
      .concat("CompactionTrigger HostedItem ReplayedShellCall ShellCallOutput ReplayedLocalShellCall".split(" "))
      .concat("LocalShellCallOutput ReplayedApplyPatchCall ReplayedComputerCall ComputerCallOutput".split(" "))
      .flatMap((name) => [`Responses${name}.id`, `Responses${name}.status`]),
    // The gateway calls the servers of these (`test/e2e/mcpApprovals.test.ts`).
    "ResponsesMcpApprovalResponse.reason",
    "ResponsesChosenServer.name",
    "ResponsesAllowedTools.tools[].server_label",
    "ResponsesInputMessage.type",
    "ResponsesApplyPatchCallOutput.id",
    "ResponsesScreenshot.type",
    // A container is named with its tool.
    "ResponsesShellTool.environment",
    "ResponsesAdditionalTools.role",
    "ResponsesReplayedToolSearchCall.execution",
    "ResponsesReplayedToolSearchCall.call_id",
    "ResponsesToolSearchOutput.execution",
    "ResponsesToolSearchOutput.call_id",
    "ResponsesUserLocation.type",
    "ResponsesReplayedReasoning.summary[].type",
    "ResponsesReplayedReasoning.content[].type",
    // What an answer told its reader; the model wrote the text.
    "ResponsesReplayedText.annotations",
    // A model reads its own reasoning alone, and only inside a tool loop.
    "ResponsesReplayedReasoning.summary",
    "ResponsesReplayedReasoning.content",
    "ResponsesReplayedReasoning.encrypted_content",
    // The search itself is named (`web_search_call`).
    "ResponsesReplayedWebSearch.action",
    "ResponsesReplayedWebSearch.encrypted_content",
    // Other models show the reasoning that they have.
    "ResponsesCreate.reasoning.summary",
    "ResponsesCreate.reasoning.generate_summary",
    // Claude keeps to a schema always.
    "ResponsesCreate.text.format.strict",
    // Only upstreams of the dialect store files: a 400 elsewhere.
    "ResponsesInputImage.file_id",
    "ResponsesInputFile.file_id",
    "ResponsesScreenshot.file_id"
  ]
}
