import { clientItems } from "./clientItemExamples.ts"
import { csv, png } from "./messageExamples.ts"

const pngUrl = `data:image/png;base64,${png}`

const inputText = { type: "input_text", text: "Look at these." }

/** Items of each kind. */
export const input = [
  { type: "message", id: "msg_1", status: "completed", role: "developer", content: "Be brief." },
  {
    role: "user",
    content: [
      inputText,
      { type: "input_image", image_url: pngUrl, detail: "low" },
      { type: "input_file", file_data: `data:text/csv;base64,${csv}`, filename: "a.csv" },
      { type: "input_file", file_url: "https://files.invalid/a.pdf", filename: "a.pdf" }
    ]
  },
  {
    type: "message",
    role: "assistant",
    content: [
      { type: "output_text", text: "Seen.", annotations: [{ type: "url_citation", url: "https://a.example" }] },
      { type: "refusal", refusal: "No." }
    ]
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Hm." }],
    content: [{ type: "reasoning_text", text: "Hm." }],
    encrypted_content: "b3BhcXVl",
    status: "completed"
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "weather",
    namespace: "tools",
    arguments: "{}",
    status: "completed"
  },
  { type: "function_call_output", id: "fco_1", call_id: "call_1", output: [inputText], status: "completed" },
  {
    type: "custom_tool_call",
    id: "ctc_1",
    call_id: "call_2",
    name: "run",
    namespace: "tools",
    input: "x",
    status: "ok"
  },
  { type: "custom_tool_call_output", id: "cto_1", call_id: "call_2", output: "done", status: "completed" },
  {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "x" },
    encrypted_content: "eA=="
  },
  {
    type: "additional_tools",
    id: "at_1",
    status: "completed",
    role: "developer",
    tools: [{ type: "custom", name: "more", description: "Runs more" }]
  },
  {
    type: "tool_search_call",
    id: "tsc_1",
    status: "completed",
    call_id: "call_3",
    execution: "client",
    arguments: { query: "x" }
  },
  {
    type: "tool_search_output",
    id: "tso_1",
    status: "completed",
    call_id: "call_3",
    execution: "client",
    tools: [{ type: "custom", name: "found", description: "Runs what was found" }]
  },
  ...clientItems,
  { type: "compaction_trigger", id: "ct_1", status: "completed" }
]

/** Items that name things kept by an upstream, or not at all. */
export const unservedInput = [
  { type: "item_reference", id: "msg_unknown" },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: "…" },
  {
    type: "mcp_approval_request",
    id: "mcpr_1",
    status: "completed",
    server_label: "wiki",
    name: "search",
    arguments: "{}"
  },
  {
    type: "mcp_approval_response",
    id: "mcprr_1",
    status: "completed",
    approval_request_id: "mcpr_1",
    approve: true,
    reason: "It is right."
  },
  {
    role: "user",
    content: [
      { type: "input_image", file_id: "file_1" },
      { type: "input_file", file_id: "file_1" }
    ]
  },
  { type: "computer_call_output", call_id: "call_7", output: { file_id: "file_1" } },
  { type: "compaction_trigger", id: "ct_1", status: "completed" }
]
