import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation, SearchTool } from "../generation/Conversation.ts"

/**
 * Keeps a request's web searches within what its account allows. A request that asks for more is refused; one that says
 * nothing gets the account's own lists.
 */
export const withinAccount = (caller: Caller, conversation: Conversation): Conversation | InvalidRequest => {
  const { allowed, blocked } = caller.searchDomains
  if (allowed === undefined && blocked === undefined) return conversation
  if (!conversation.tools.some((tool) => tool.type === "search")) return conversation
  const tools: Array<Conversation["tools"][number]> = []
  for (const [index, tool] of conversation.tools.entries()) {
    if (tool.type !== "search") {
      tools.push(tool)
      continue
    }
    const kept = narrowed(tool, allowed, blocked ?? [])
    if (typeof kept === "string") {
      return new InvalidRequest({ param: `tools[${index}]`, message: `tools[${index}]: ${kept}` })
    }
    tools.push(kept)
  }
  return { ...conversation, tools }
}

/** The search as the account allows it, or why it doesn't. */
const narrowed = (
  tool: SearchTool,
  allowed: ReadonlyArray<string> | undefined,
  blocked: ReadonlyArray<string>
): SearchTool | string => {
  if (tool.allowedDomains === undefined) {
    const alsoBlocked = [...new Set([...(tool.blockedDomains ?? []), ...blocked])]
    if (allowed === undefined) return { ...tool, blockedDomains: alsoBlocked }
    return narrowed(
      { ...tool, allowedDomains: allowed.filter((domain) => !alsoBlocked.some((one) => covers(one, domain))) },
      allowed,
      alsoBlocked
    )
  }
  for (const domain of tool.allowedDomains) {
    if (allowed !== undefined && !allowed.some((one) => covers(one, domain))) {
      return `web search of "${domain}" is not open to this account; allowed domains are ${allowed.join(", ")}`
    }
    // Upstreams take a list of allowed or one of blocked domains, not both: a hole in an allowed domain can't be said.
    const hole = blocked.find((one) => covers(one, domain) || covers(domain, one))
    if (hole !== undefined) return `web search of "${domain}" is not open to this account; it blocks ${hole}`
  }
  if (tool.allowedDomains.length === 0) return "no domain is left that web search may use under this account's rules"
  return { ...tool, blockedDomains: undefined }
}

/** Whether all of `inner` lies in `outer`: the domain itself, its subdomains, or a path below it. */
const covers = (outer: string, inner: string): boolean => {
  const [outerHost = "", ...outerPath] = outer.toLowerCase().split("/")
  const [innerHost = "", ...innerPath] = inner.toLowerCase().split("/")
  if (innerHost !== outerHost && !innerHost.endsWith(`.${outerHost}`)) return false
  return outerPath.every((segment, index) => segment === "" || segment === innerPath[index])
}
