import type { FunctionTool } from "../../generation/Conversation.ts"
import type { ToolEntry } from "../ToolEntry.ts"
import { applyPatch } from "./applyPatch.ts"
import type { ClientCall, ClientTool } from "./ClientTool.ts"
import { computer } from "./computer.ts"
import { localShell } from "./localShell.ts"
import { shell } from "./shell.ts"
import { toolSearch } from "./toolSearch.ts"

/** The tools of the dialect that the caller runs (https://developers.openai.com/api/docs/guides/tools). */
export const clientTools: ReadonlyArray<ClientTool> = [shell, localShell, applyPatch, computer, toolSearch]

/** The tools that the caller runs, by the model's names for them. */
export type ClientTools = ReadonlyMap<string, ClientTool>

/** The model's name for the tool of a call. */
export type NameOf = (call: ClientCall) => string

/** The tool of a type in `tools` or in `tool_choice`. */
export const clientToolOf = (type: string): ClientTool | undefined =>
  clientTools.find(({ types }) => types.includes(type))

interface Offered {
  readonly functions: ReadonlyArray<FunctionTool>
  readonly byName: ClientTools
  readonly nameOf: NameOf
}

/** Names that tools of the caller's own have stay theirs. */
export const offer = (entries: ReadonlyArray<ToolEntry>, isTaken: (name: string) => boolean): Offered => {
  const names = new Map(clientTools.map((tool) => [tool.call, freeName(tool.name, isTaken)]))
  const nameOf: NameOf = (call) => names.get(call) ?? call
  const byName = new Map<string, ClientTool>()
  const functions = new Map<string, FunctionTool>()
  for (const entry of entries) {
    const tool = clientToolOf(entry.type)
    const described = tool?.asFunction(entry)
    if (tool === undefined || described === undefined) continue
    const name = nameOf(tool.call)
    byName.set(name, tool)
    functions.set(name, { type: "function", name, strict: undefined, ...described })
  }
  return { functions: [...functions.values()], byName, nameOf }
}

const freeName = (name: string, isTaken: (name: string) => boolean): string =>
  isTaken(name) ? freeName(`${name}_`, isTaken) : name

/** True if the caller runs the tool, and it is not one of the caller's own making. */
export const isClientTool = (entry: ToolEntry): boolean => clientToolOf(entry.type)?.asFunction(entry) !== undefined
