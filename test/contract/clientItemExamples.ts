/** Calls of tools that the caller runs, and their outputs. */
export const clientItems = [
  { type: "shell_call", id: "sh_1", status: "completed", call_id: "call_4", action: { commands: ["ls"] } },
  {
    type: "shell_call_output",
    id: "sho_1",
    status: "completed",
    call_id: "call_4",
    output: [{ stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 0 } }]
  },
  { type: "local_shell_call", id: "lsh_1", status: "completed", call_id: "call_5", action: { command: ["ls"] } },
  { type: "local_shell_call_output", id: "lsho_1", status: "completed", call_id: "call_5", output: "a" },
  {
    type: "apply_patch_call",
    id: "apc_1",
    status: "completed",
    call_id: "call_6",
    operation: { type: "delete_file", path: "a" }
  },
  { type: "apply_patch_call_output", id: "apco_1", status: "completed", call_id: "call_6", output: "gone" },
  {
    type: "computer_call",
    id: "cu_1",
    status: "completed",
    call_id: "call_7",
    action: { type: "wait" },
    actions: [{ type: "wait" }]
  },
  {
    type: "computer_call_output",
    id: "cuo_1",
    status: "completed",
    call_id: "call_7",
    output: { type: "computer_screenshot", image_url: "https://example.com/a.png" }
  }
]
