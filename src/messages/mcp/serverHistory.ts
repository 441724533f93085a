import type { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { PinnedTool } from "../../generation/McpServerRequest.ts"
import { textAt } from "../../contract/json/json.ts"
import { shorten } from "../../contract/text/shorten.ts"
import type { Complain } from "../../pipeline/askedServers.ts"
import type { KnownTool } from "../../pipeline/TextFamily.ts"
import { isListing } from "../Blocks.ts"
import type { ContentBlock } from "../Blocks.ts"
import { isToolChange } from "../offeredTools.ts"
import type { AnyRequest } from "../Request.ts"
import { toolName } from "../toolName.ts"
import { pinnedTools } from "./pinnedTools.ts"
import { conflictAt, unresolved, unresolvedAt } from "./toolReference.ts"

/** The lists and changes of servers' tools in a conversation. */
export interface ServerHistory {
  /** The latest list of each server that the conversation shows. */
  readonly listings: ReadonlyMap<string, ReadonlyArray<PinnedTool>>
  /** Tells if the conversation took a tool away, or made it available; undefined if it says nothing of it. */
  readonly changeOf: (server: string, tool: string) => Change | undefined
  /** The first change that does not fit the servers' tools. */
  readonly mistake: (tools: ReadonlyArray<KnownTool>) => InvalidRequest | undefined
}

type Change = "added" | "removed"

/** The changes of a server's tools. */
interface Changes {
  /** The last change of all of them. */
  all: Change | undefined
  /** Those of single tools after that. */
  readonly tools: Map<string, Change>
  /** The path of each tool's first mention. */
  readonly references: Map<string, string>
  /** The path of the last addition. */
  addedAt: string | undefined
}

/**
 * Reads a conversation's lists of tools and changes of them.
 *
 * @param names those of the request's servers
 */
export const serverHistory = (
  messages: AnyRequest["messages"],
  names: ReadonlySet<string>,
  complain: Complain
): ServerHistory => {
  const listings = new Map<string, ReadonlyArray<PinnedTool>>()
  const changes = new Map<string, Changes>()
  const defined = new Map<string, string>()
  const checkServer = (server: string, path: string) => {
    if (!names.has(server)) complain(path, `no server has the name ${JSON.stringify(shorten(server))}`, unresolved)
  }
  const change = (server: string, tool: string | undefined, isAddition: boolean, path: string): void => {
    const before = changes.get(server) ?? {
      all: undefined,
      tools: new Map(),
      references: new Map(),
      addedAt: undefined
    }
    const what = isAddition ? "added" : "removed"
    if (isAddition) before.addedAt = path
    if (tool === undefined) {
      before.all = what
      before.tools.clear()
    } else {
      before.tools.set(tool, what)
      if (!before.references.has(tool)) before.references.set(tool, path)
    }
    changes.set(server, before)
  }
  const read = (block: ContentBlock, path: string): void => {
    if (isListing(block)) {
      const server = textAt(block, "mcp_server_name") ?? ""
      checkServer(server, `${path}.mcp_server_name`)
      listings.set(server, pinnedTools(block["tools"], `${path}.tools`, complain))
    } else if (isToolChange(block)) {
      const { tool } = block
      const isAddition = block.type === "tool_addition"
      if (tool?.type === "mcp_tool_reference" || tool?.type === "mcp_toolset_reference") {
        checkServer(tool.server_name, `${path}.tool.server_name`)
        change(tool.server_name, "name" in tool ? tool.name : undefined, isAddition, path)
      } else if (tool?.type === "tool_reference") {
        if (!isAddition) defined.delete(tool.name)
      } else if (tool?.definition !== undefined) {
        defined.set(toolName(tool.definition), `${path}.tool.definition.name`)
      }
    }
  }
  if (typeof messages !== "string") {
    for (const [index, { content }] of messages.entries()) {
      if (typeof content === "string") continue
      for (const [at, block] of content.entries()) read(block, `messages[${index}].content[${at}]`)
    }
  }
  return {
    listings,
    changeOf: (server, tool) => changes.get(server)?.tools.get(tool) ?? changes.get(server)?.all,
    mistake: (tools) => missingTool(changes, tools) ?? takenName(defined, changes, tools)
  }
}

const missingTool = (
  changes: ReadonlyMap<string, Changes>,
  tools: ReadonlyArray<KnownTool>
): InvalidRequest | undefined => {
  for (const [server, { references }] of changes) {
    const known = new Set(tools.flatMap(({ label, tool }) => (label === server ? [tool] : [])))
    for (const [tool, path] of references) {
      const rule = `the server's toolset has no tool ${JSON.stringify(shorten(tool))}`
      if (!known.has(tool)) return unresolvedAt(`${path}.tool.name`, rule)
    }
  }
  return undefined
}

/** Anthropic joins the names of a server and its tool for the model. What the conversation adds may not meet such a name. */
const takenName = (
  defined: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, Changes>,
  tools: ReadonlyArray<KnownTool>
): InvalidRequest | undefined => {
  const holders = new Map<string, string>()
  for (const { isWithdrawn, label, tool } of tools) {
    if (isWithdrawn) continue
    const name = `${label}_${tool}`
    const other = holders.get(name)
    const addedAt = other === undefined ? undefined : (changes.get(label)?.addedAt ?? changes.get(other)?.addedAt)
    const param = defined.get(name) ?? (addedAt && `${addedAt}.tool`)
    if (param !== undefined) return conflictAt(param, name)
    holders.set(name, label)
  }
  return undefined
}
