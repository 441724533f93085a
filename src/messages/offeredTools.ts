import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { BlockOf, ContentBlock } from "./Blocks.ts"
import type { AnyRequest } from "./Request.ts"
import { listingBeta } from "./mcp/listingBeta.ts"
import { conflictAt, unresolvedAt } from "./mcp/toolReference.ts"
import { isToolset } from "./mcp/toolsets.ts"
import { toolName } from "./toolName.ts"
import type { Tool } from "./Tools.ts"

export type ToolChange = BlockOf<"tool_addition" | "tool_removal">

export const isToolChange = (block: ContentBlock): block is ToolChange =>
  block.type === "tool_addition" || block.type === "tool_removal"

/** The tool that a change concerns; undefined if only an upstream of this dialect knows it. */
const subjectOf = ({ tool }: ToolChange): { readonly name: string; readonly defined?: Tool } | undefined => {
  if (tool?.type === "tool_reference") return { name: tool.name }
  // A server's tools are not among `tools`.
  if (tool?.type === "mcp_tool_reference" || tool?.type === "mcp_toolset_reference") return { name: "" }
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

/**
 * A change must name an existing tool, and a tool that it defines may not take the name of one of another kind.
 *
 * @param betas the header `anthropic-beta`
 */
export const toolChangeRule = (
  { messages, tools }: AnyRequest,
  hasServers: boolean,
  betas: string
): InvalidRequest | undefined => {
  if (typeof messages === "string") return undefined
  /** The kinds of the known tools, and of those that are available. */
  let known: Map<string, string> | undefined
  let available: Map<string, string> | undefined
  for (let index = 0; index < messages.length; index++) {
    const content = messages[index]?.content ?? ""
    if (typeof content === "string") continue
    for (let at = 0; at < content.length; at++) {
      const block = content[at]
      const subject = block !== undefined && isToolChange(block) ? subjectOf(block) : undefined
      if (block === undefined || !isToolChange(block) || subject === undefined) continue
      const path = `messages[${index}].content[${at}].tool`
      const { defined, name } = subject
      if (block.tool?.type.startsWith("mcp_") === true) {
        if (!betas.includes(listingBeta))
          return broken(`${path}.type`, `needs ${listingBeta} in the header anthropic-beta`)
        if (!hasServers) return unresolvedAt(`${path}.server_name`, "the request names no mcp_servers")
        continue
      }
      // Created on demand, because few conversations have changes.
      known ??= new Map((tools ?? []).flatMap((tool) => (isToolset(tool) ? [] : [[toolName(tool), kindOf(tool)]])))
      available ??= new Map(known)
      if (defined === undefined) {
        const kind = known.get(name)
        if (kind === undefined) {
          return unresolvedAt(`${path}.name`, `no tool before it has the name ${JSON.stringify(name.slice(0, 80))}`)
        }
        if (block.type === "tool_removal") available.delete(name)
        else available.set(name, kind)
        continue
      }
      if (isToolset(defined)) return broken(`${path}.definition.type`, "toolsets are defined in tools alone")
      const kind = kindOf(defined)
      if ((available.get(name) ?? kind) !== kind) return conflictAt(`${path}.definition.name`, name)
      known.set(name, kind)
      available.set(name, kind)
    }
  }
  return undefined
}

/** The kind of a tool; those of other dates are the same. */
const kindOf = ({ type }: Tool): string => (type ?? "custom").replace(/_\d+$/, "")

const broken = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })
