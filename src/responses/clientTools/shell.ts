import { listAt, numberAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { isHostedPlace } from "../../generation/hostedTools.ts"
import type { CommandOutput } from "./ClientItem.ts"
import type { ClientTool } from "./ClientTool.ts"

/** `shell`: the caller runs commands. With a container of OpenAI's it is another tool. */
export const shell: ClientTool = {
  call: "shell_call",
  prefix: "sh",
  name: "shell",
  types: ["shell"],
  asFunction: (entry) =>
    isHostedPlace(objectAt(entry, "environment"))
      ? undefined
      : {
          description: `Run shell commands on the user's machine. Each gets a shell of its own, in order.${skillsIn(entry)}`,
          parameters
        },
  itemOf: (state, args) => ({
    ...state,
    type: "shell_call",
    action: {
      commands: state.status === "incomplete" ? [] : commandsIn(args),
      timeout_ms: numberAt(args, "timeout_ms") ?? null,
      max_output_length: numberAt(args, "max_output_length") ?? null
    },
    environment: { type: "local" }
  }),
  eventsOf: (item, output_index) =>
    item.type !== "shell_call"
      ? []
      : item.action.commands.flatMap((command, command_index) => {
          const where = { output_index, command_index }
          return [
            ["response.shell_call_command.added", { ...where, command: "" }],
            ["response.shell_call_command.delta", { ...where, delta: command }],
            ["response.shell_call_command.done", { ...where, command }]
          ] as const
        })
}

const parameters = {
  type: "object",
  properties: {
    commands: { type: "array", items: { type: "string" }, description: "The commands, in order." },
    timeout_ms: { type: "integer", description: "The most time for the commands, in milliseconds." },
    max_output_length: { type: "integer", description: "The most characters of output to return." }
  },
  required: ["commands"]
}

/** Some models send one command as a text. */
const commandsIn = (args: JsonObject): ReadonlyArray<string> => {
  const one = textAt(args, "commands") ?? textAt(args, "command")
  return one === undefined ? listAt(args, "commands").filter((command) => typeof command === "string") : [one]
}

/** The model finds the caller's skills by their paths. */
const skillsIn = (entry: object): string => {
  const skills = listAt(objectAt(entry, "environment"), "skills").map(
    (skill) =>
      `\n- ${textAt(skill, "name") ?? ""} (${textAt(skill, "path") ?? ""}): ${textAt(skill, "description") ?? ""}`
  )
  return skills.length === 0 ? "" : `\nSkills, each with a SKILL.md to read first:${skills.join("")}`
}

/** The output of commands as text. */
export const commandOutputs = (outputs: ReadonlyArray<CommandOutput>): string =>
  outputs.map(commandOutput).join("\n\n") || "No output."

const commandOutput = ({ outcome, stderr, stdout }: CommandOutput): string =>
  [
    stdout?.trimEnd() ?? "",
    stderr ? `stderr:\n${stderr.trimEnd()}` : "",
    textAt(outcome, "type") === "timeout" ? "Timed out." : `Exit code: ${numberAt(outcome, "exit_code") ?? "unknown"}`
  ]
    .filter((text) => text !== "")
    .join("\n")
