import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { BlockOf, ContentBlock } from "./Blocks.ts"
import type { AnyRequest } from "./Request.ts"
import { toolName } from "./toolName.ts"
import type { Tool } from "./Tools.ts"

export type ToolChange = BlockOf<"tool_addition" | "tool_removal">

export const isToolChange = (block: ContentBlock): block is ToolChange =>
  block.type === "tool_addition" || block.type === "tool_removal"

/** The tool that a change concerns; undefined if only an upstream of this dialect knows it. */
const subjectOf = ({ tool }: ToolChange): { readonly name: string; readonly defined?: Tool } | undefined => {
  if (tool?.type === "tool_reference") return { name: tool.name }
  return tool?.definition === undefined ? undefined : { name: toolName(tool.definition), defined: tool.definition }
}

/**
 * The tools that the model may use now: `tools`, and then the changes in the conversation, in order. For upstreams that
 * have no such changes.
 *
 * @param changes those of its messages
 */
export const offeredTools = (
  { tools }: Pick<AnyRequest, "tools">,
  changes: ReadonlyArray<ToolChange>
): ReadonlyArray<Tool> => {
  const declared = tools ?? []
  if (changes.length === 0) return declared
  const known = new Map(declared.map((tool) => [toolName(tool), tool]))
  const offered = new Map(known)
  for (const change of changes) {
    const { defined, name } = subjectOf(change) ?? { name: "" }
    const tool = defined ?? known.get(name)
    if (defined !== undefined) known.set(name, defined)
    if (change.type === "tool_removal") offered.delete(name)
    else if (tool !== undefined) offered.set(name, tool)
  }
  return [...offered.values()]
}

/** The tools that changes define; undefined for each that only an upstream of this dialect knows. */
export const definedTools = (changes: ReadonlyArray<ToolChange>): ReadonlyArray<Tool | undefined> =>
  changes.flatMap((change) => {
    const subject = subjectOf(change)
    return subject === undefined ? [undefined] : (subject.defined ?? [])
  })

/** A change must name an existing tool. */
export const toolChangeRule = ({ messages, tools }: AnyRequest): InvalidRequest | undefined => {
  if (typeof messages === "string") return undefined
  let known: Set<string> | undefined
  for (let index = 0; index < messages.length; index++) {
    const content = messages[index]?.content ?? ""
    if (typeof content === "string") continue
    for (let at = 0; at < content.length; at++) {
      const block = content[at]
      const subject = block !== undefined && isToolChange(block) ? subjectOf(block) : undefined
      if (subject === undefined) continue
      // Created on demand, because few conversations have changes.
      known ??= new Set((tools ?? []).map(toolName))
      if (subject.defined === undefined && !known.has(subject.name)) {
        const param = `messages[${index}].content[${at}].tool.name`
        const message = `${param}: no tool before it has the name ${JSON.stringify(subject.name.slice(0, 80))}`
        return new InvalidRequest({ param, message })
      }
      known.add(subject.name)
    }
  }
  return undefined
}
