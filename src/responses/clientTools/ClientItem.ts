import { Schema } from "effect"
import { JsonObject, maybe, required } from "../../contract/fields.ts"

const id = maybe(Schema.String).annotations({ description: "Id of the item. The gateway creates one if it is absent." })
const status = maybe(Schema.String).annotations({ description: "The returned status." })
const callId = Schema.String.annotations({ description: "Links a tool's output to its call." })

const ShellCall = Schema.Struct({
  type: Schema.Literal("shell_call"),
  id,
  status,
  call_id: callId,
  action: required(JsonObject, "`{commands, timeout_ms, max_output_length}`.")
}).annotations({ identifier: "ResponsesReplayedShellCall" })

const CommandOutput = Schema.Struct({
  stdout: maybe(Schema.String).annotations({ description: "Standard output." }),
  stderr: maybe(Schema.String).annotations({ description: "Standard error." }),
  outcome: maybe(JsonObject).annotations({ description: "`{type: exit, exit_code}` or `{type: timeout}`." })
}).annotations({ identifier: "ResponsesCommandOutput" })
export type CommandOutput = typeof CommandOutput.Type

const ShellCallOutput = Schema.Struct({
  type: Schema.Literal("shell_call_output"),
  id,
  status,
  call_id: callId,
  output: required(Schema.Array(CommandOutput), "One entry a command.")
}).annotations({ identifier: "ResponsesShellCallOutput" })

const LocalShellCall = Schema.Struct({
  type: Schema.Literal("local_shell_call"),
  id,
  status,
  call_id: callId,
  action: required(JsonObject, "`{type: exec, command, env, timeout_ms, user, working_directory}`.")
}).annotations({ identifier: "ResponsesReplayedLocalShellCall" })

const LocalShellCallOutput = Schema.Struct({
  type: Schema.Literal("local_shell_call_output"),
  id: maybe(Schema.String).annotations({ description: "Id of the item, or of the call if `call_id` is absent." }),
  status,
  call_id: maybe(Schema.String).annotations({ description: "Links the output to its call." }),
  output: required(Schema.String, "The output, as text or JSON text.")
}).annotations({ identifier: "ResponsesLocalShellCallOutput" })

const ApplyPatchCall = Schema.Struct({
  type: Schema.Literal("apply_patch_call"),
  id,
  status,
  call_id: callId,
  operation: required(JsonObject, "`{type: create_file | update_file | delete_file, path, diff}`.")
}).annotations({ identifier: "ResponsesReplayedApplyPatchCall" })

const ApplyPatchCallOutput = Schema.Struct({
  type: Schema.Literal("apply_patch_call_output"),
  id,
  status: maybe(Schema.String).annotations({ description: "`completed` or `failed`." }),
  call_id: callId,
  output: maybe(Schema.String).annotations({ description: "What the tool reports." })
}).annotations({ identifier: "ResponsesApplyPatchCallOutput" })

const ComputerCall = Schema.Struct({
  type: Schema.Literal("computer_call"),
  id,
  status,
  call_id: callId,
  action: maybe(JsonObject).annotations({ description: "The action of a `computer_use_preview` tool." }),
  actions: maybe(Schema.Array(JsonObject)).annotations({ description: "The actions of a `computer` tool, in order." })
}).annotations({ identifier: "ResponsesReplayedComputerCall" })

const Screenshot = Schema.Struct({
  type: maybe(Schema.String).annotations({ description: "Always `computer_screenshot`." }),
  image_url: maybe(Schema.String).annotations({ description: "An http(s) URL or a base64 data URL." }),
  file_id: maybe(Schema.String).annotations({ description: "A file that the upstream stores." })
}).annotations({ identifier: "ResponsesScreenshot" })

const ComputerCallOutput = Schema.Struct({
  type: Schema.Literal("computer_call_output"),
  id,
  status,
  call_id: callId,
  output: required(Screenshot, "The screen after the actions.")
}).annotations({ identifier: "ResponsesComputerCallOutput" })

/** Calls of tools that the caller runs, and their outputs, by type. */
export const clientItems = {
  shell_call: ShellCall,
  shell_call_output: ShellCallOutput,
  local_shell_call: LocalShellCall,
  local_shell_call_output: LocalShellCallOutput,
  apply_patch_call: ApplyPatchCall,
  apply_patch_call_output: ApplyPatchCallOutput,
  computer_call: ComputerCall,
  computer_call_output: ComputerCallOutput
}
export type ClientItem = (typeof clientItems)[keyof typeof clientItems]["Type"]

/** True for a call of a tool that the caller runs, or its output. */
export const isClientItem = <Item extends { readonly type?: string | null | undefined }>(
  item: Item
): item is Extract<Item, ClientItem> => Object.hasOwn(clientItems, item.type ?? "")
