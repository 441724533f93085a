import { objectAt, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { ClientTool } from "./ClientTool.ts"
import type { Operation } from "./OutputCall.ts"

/**
 * `apply_patch`: the caller changes files by diffs. Clients read the operation's type from the item's first event, so
 * that event waits for the arguments. A cut call has no item: its status can't say so, and clients would apply it.
 */
export const applyPatch: ClientTool = {
  call: "apply_patch_call",
  prefix: "apc",
  name: "apply_patch",
  types: ["apply_patch"],
  asFunction: () => ({ description, parameters }),
  itemOf: (state, args) => {
    const operation = operationIn(args)
    if (state.status === "incomplete" || (state.status === "in_progress" && operation.path === "")) return undefined
    const isBegun = state.status === "in_progress" && "diff" in operation
    return { ...state, type: "apply_patch_call", operation: isBegun ? { ...operation, diff: "" } : operation }
  },
  eventsOf: (item, output_index) => {
    if (item.type !== "apply_patch_call" || !("diff" in item.operation)) return []
    const where = { item_id: item.id, output_index }
    const { diff } = item.operation
    return [
      ["response.apply_patch_call_operation_diff.delta", { ...where, delta: diff }],
      ["response.apply_patch_call_operation_diff.done", { ...where, diff }]
    ]
  }
}

const description =
  "Create, update or delete one file. `diff` is a V4A diff without headers or envelope. To create a file, every line " +
  "of it begins with `+`. To update one, each change is a section: a line `@@` (or `@@ ` and a whole line of the file " +
  "above the change, to find it), then lines that begin with a space (unchanged, about three before and after), `-` " +
  "(removed) or `+` (added). There are no line numbers."

const parameters = {
  type: "object",
  properties: {
    type: { type: "string", enum: ["create_file", "update_file", "delete_file"], description: "The operation." },
    path: { type: "string", description: "Path of the file, relative to the workspace." },
    diff: { type: "string", description: "The V4A diff. Not for `delete_file`." }
  },
  required: ["type", "path"]
}

/** An unclear operation is an update that fails at the caller: nothing is created or deleted by mistake. */
const operationIn = (args: JsonObject): Operation => {
  const sent = objectAt(args, "operation") ?? args
  const type = textAt(sent, "type")
  const path = textAt(sent, "path") ?? ""
  if (type === "delete_file") return { type, path }
  return { type: type === "create_file" ? type : "update_file", path, diff: textAt(sent, "diff") ?? "" }
}
