import { Schema } from "effect"
import { JsonObject, maybe } from "../../contract/fields.ts"

const byCaller = "The caller runs it. Upstreams of another dialect get a function; its calls keep their own items."

const ShellEntry = Schema.Struct({
  type: Schema.Literal("shell"),
  environment: maybe(JsonObject).annotations({
    description:
      "`{type: local}` or nothing: the caller runs the commands. Only an upstream of this dialect has containers."
  })
}).annotations({ identifier: "ResponsesShellTool" })

const LocalShellEntry = Schema.Struct({
  type: Schema.Literal("local_shell").annotations({ description: byCaller })
}).annotations({ identifier: "ResponsesLocalShellTool" })

const ApplyPatchEntry = Schema.Struct({
  type: Schema.Literal("apply_patch").annotations({ description: byCaller })
}).annotations({ identifier: "ResponsesApplyPatchTool" })

const computerTypes = ["computer", "computer_use", "computer_use_preview", "computer-preview"] as const

const ComputerEntry = Schema.Struct({
  type: Schema.Literal(...computerTypes).annotations({
    description: byCaller
  }),
  display_width: maybe(Schema.Number).annotations({ description: "Width of the screen in pixels." }),
  display_height: maybe(Schema.Number).annotations({ description: "Height of the screen in pixels." }),
  environment: maybe(Schema.String).annotations({ description: "`windows`, `mac`, `linux`, `ubuntu` or `browser`." })
}).annotations({ identifier: "ResponsesComputerTool" })

/** The types of tools that the caller runs. */
export const ClientToolType = Schema.Literal("shell", "local_shell", "apply_patch", ...computerTypes)

/** Entries of `tools` that the caller runs, by type. The search for tools has its own. */
export const clientEntries = {
  shell: ShellEntry,
  local_shell: LocalShellEntry,
  apply_patch: ApplyPatchEntry,
  computer: ComputerEntry,
  computer_use: ComputerEntry,
  computer_use_preview: ComputerEntry,
  "computer-preview": ComputerEntry
}
