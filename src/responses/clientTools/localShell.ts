import { isObject, listAt, numberAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { ClientTool } from "./ClientTool.ts"

/** `local_shell`: the caller runs one program with its arguments. */
export const localShell: ClientTool = {
  call: "local_shell_call",
  prefix: "lsh",
  name: "local_shell",
  types: ["local_shell"],
  asFunction: () => ({ description: "Run a command on the user's machine.", parameters }),
  itemOf: (state, args) => {
    const timeout = numberAt(args, "timeout_ms")
    const user = textAt(args, "user")
    const directory = textAt(args, "working_directory")
    return {
      ...state,
      type: "local_shell_call",
      action: {
        type: "exec",
        command: state.status === "incomplete" ? [] : commandIn(args),
        env: variablesIn(args),
        ...(timeout !== undefined && { timeout_ms: timeout }),
        ...(user !== undefined && { user }),
        ...(directory !== undefined && { working_directory: directory })
      }
    }
  }
}

const parameters = {
  type: "object",
  properties: {
    command: {
      type: "array",
      items: { type: "string" },
      description: 'The program and its arguments, such as ["bash", "-lc", "ls | wc -l"].'
    },
    working_directory: { type: "string", description: "The directory to run it in." },
    timeout_ms: { type: "integer", description: "The most time for it, in milliseconds." },
    env: { type: "object", additionalProperties: { type: "string" }, description: "Environment variables to set." },
    user: { type: "string", description: "The user to run it as." }
  },
  required: ["command"]
}

/** Some models send the command as a text. */
const commandIn = (args: JsonObject): ReadonlyArray<string> => {
  const text = textAt(args, "command")
  return text === undefined ? listAt(args, "command").filter((part) => typeof part === "string") : ["bash", "-lc", text]
}

const variablesIn = (args: JsonObject): Readonly<Record<string, string>> => {
  const variables = objectAt(args, "env")
  return isObject(variables)
    ? Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
    : {}
}
