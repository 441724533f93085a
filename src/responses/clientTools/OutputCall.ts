import { Schema } from "effect"
import { JsonObject, answerField } from "../../contract/fields.ts"

const itemId = answerField(Schema.String, "Id of the item; an `item_reference` may name it later.")
const callId = answerField(Schema.String, "Links the tool's output to this call.")
const status = answerField(
  Schema.Literal("in_progress", "completed", "incomplete", "failed"),
  "`in_progress` only inside a stream."
)

/** A member that may be absent. */
const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(answerField(schema, description), { exact: true })

const ShellCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("shell_call"),
  status,
  call_id: callId,
  action: answerField(
    Schema.Struct({
      commands: answerField(Schema.Array(Schema.String), "Commands to run in order."),
      timeout_ms: answerField(Schema.NullOr(Schema.Number), "The most time for the commands."),
      max_output_length: answerField(Schema.NullOr(Schema.Number), "The most characters of output.")
    }),
    "The commands for the caller to run."
  ),
  environment: answerField(Schema.Struct({ type: Schema.Literal("local") }), "The caller's.")
}).annotations({ identifier: "ResponsesShellCall" })

const LocalShellCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("local_shell_call"),
  status,
  call_id: callId,
  action: answerField(
    Schema.Struct({
      type: Schema.Literal("exec"),
      command: answerField(Schema.Array(Schema.String), "The program and its arguments."),
      env: answerField(Schema.Record({ key: Schema.String, value: Schema.String }), "Environment variables to set."),
      timeout_ms: optional(Schema.Number, "The most time for the command."),
      user: optional(Schema.String, "The user to run it as."),
      working_directory: optional(Schema.String, "The directory to run it in.")
    }),
    "The command for the caller to run."
  )
}).annotations({ identifier: "ResponsesLocalShellCall" })

const diff = answerField(Schema.String, "The change, as a V4A diff without header.")
const path = answerField(Schema.String, "Path of the file.")

const Operation = Schema.Union(
  Schema.Struct({ type: answerField(Schema.Literal("create_file", "update_file"), "What to do with it."), path, diff }),
  Schema.Struct({ type: answerField(Schema.Literal("delete_file"), "What to do with it."), path })
)
export type Operation = typeof Operation.Type

const ApplyPatchCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("apply_patch_call"),
  status,
  call_id: callId,
  operation: answerField(Operation, "The change for the caller to apply.")
}).annotations({ identifier: "ResponsesApplyPatchCall" })

const ComputerCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("computer_call"),
  status,
  call_id: callId,
  action: optional(JsonObject, "The action, if the tool is `computer_use_preview`."),
  actions: optional(Schema.Array(JsonObject), "The actions, in order, if the tool is `computer`."),
  pending_safety_checks: answerField(Schema.Array(JsonObject), "Always empty.")
}).annotations({ identifier: "ResponsesComputerCall" })

/** Calls of tools that the caller runs, by type. The search for tools has its own. */
export const outputCalls = {
  shell_call: ShellCall,
  local_shell_call: LocalShellCall,
  apply_patch_call: ApplyPatchCall,
  computer_call: ComputerCall
}
