import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation, SearchTool } from "../generation/Conversation.ts"

const mostDomains = 100

/**
 * Refuses a search with too many domains, because the gateway would compare each page with each of them. Passthrough
 * leaves this to the upstream; `withinAccount` has checked accounts with rules of their own.
 */
export const tooManyDomains = ({ caller, conversation }: Searching): InvalidRequest | undefined =>
  conversation.tools.length === 0 || isConfined(caller) ? undefined : tooMany(conversation)

interface Searching {
  readonly caller: Caller
  readonly conversation: Conversation
}

/** Counts the domains of all searches together, because a passthrough request may have many. */
const tooMany = ({ tools }: Conversation): InvalidRequest | undefined => {
  const counts = { allowed_domains: 0, blocked_domains: 0 }
  for (const tool of tools) {
    if (tool.type !== "search") continue
    counts.allowed_domains += tool.allowedDomains?.length ?? 0
    counts.blocked_domains += tool.blockedDomains?.length ?? 0
  }
  for (const param of ["allowed_domains", "blocked_domains"] as const) {
    if (counts[param] <= mostDomains) continue
    const message = `${param}: expected at most ${mostDomains} domains; got ${counts[param]}`
    return new InvalidRequest({ param, message })
  }
  return undefined
}

/**
 * Restricts a request's web searches to the domains that its account may use: adds the account's lists to a search
 * without any, and refuses other domains. Undefined if nothing changes.
 */
export const withinAccount = (
  caller: Caller,
  conversation: Conversation
): Conversation | InvalidRequest | undefined => {
  if (!isConfined(caller)) return undefined
  if (!conversation.tools.some((tool) => tool.type === "search")) return undefined
  const refused = tooMany(conversation)
  if (refused !== undefined) return refused
  const { searchDomains } = caller
  const allowed = searchDomains.allowed?.map(placeOf)
  const blocked = (searchDomains.blocked ?? []).map(placeOf)
  /** The result for a search without domains, computed once: a passthrough request may have many. */
  let unsaid: SearchTool | string | undefined
  const tools: Array<Conversation["tools"][number]> = []
  for (const [index, tool] of conversation.tools.entries()) {
    if (tool.type !== "search") {
      tools.push(tool)
      continue
    }
    const isUnsaid = tool.allowedDomains === undefined && tool.blockedDomains === undefined
    const same = isUnsaid ? (unsaid ??= narrowed(tool, allowed, blocked)) : narrowed(tool, allowed, blocked)
    const kept =
      typeof same === "string"
        ? same
        : { ...tool, allowedDomains: same.allowedDomains, blockedDomains: same.blockedDomains }
    if (typeof kept === "string") {
      return new InvalidRequest({ param: `tools[${index}]`, message: `tools[${index}]: ${kept}` })
    }
    tools.push(kept)
  }
  return { ...conversation, tools }
}

/** A domain and an optional path, split for comparison. */
interface Place {
  readonly written: string
  readonly host: string
  readonly path: ReadonlyArray<string>
}

const placeOf = (written: string): Place => {
  const [host = "", ...path] = written.toLowerCase().split("/")
  return { written, host, path }
}

const written = (place: Place) => place.written

/** The search with the account's restrictions, or the reason for a refusal. */
const narrowed = (
  tool: SearchTool,
  allowed: ReadonlyArray<Place> | undefined,
  blocked: ReadonlyArray<Place>
): SearchTool | string => {
  if (tool.allowedDomains === undefined) {
    const all = [...new Set([...(tool.blockedDomains ?? []), ...blocked.map(written)])]
    if (allowed === undefined) return { ...tool, blockedDomains: all }
    const alsoBlocked = all.map(placeOf)
    const left = allowed.filter((place) => !alsoBlocked.some((one) => covers(one, place)))
    return narrowed({ ...tool, allowedDomains: left.map(written) }, allowed, alsoBlocked)
  }
  for (const place of tool.allowedDomains.map(placeOf)) {
    if (allowed !== undefined && !allowed.some((one) => covers(one, place))) {
      const open = allowed.map(written).join(", ")
      return `web search of "${place.written}" is not open to this account; allowed domains are ${open}`
    }
    // Upstreams take allowed or blocked domains, not both, so part of an allowed domain cannot be blocked.
    const hole = blocked.find((one) => covers(one, place) || covers(place, one))
    if (hole !== undefined) {
      return `web search of "${place.written}" is not open to this account; it blocks ${hole.written}`
    }
  }
  if (tool.allowedDomains.length === 0) return "no domain is left that web search may use under this account's rules"
  return { ...tool, blockedDomains: undefined }
}

/** True if the account's searches are restricted. */
export const isConfined = ({ searchDomains: { allowed, blocked } }: Caller): boolean =>
  allowed !== undefined || blocked !== undefined

/** True if `outer` contains all of `inner`: the same domain, a subdomain, or a path below it. */
const covers = (outer: Place, inner: Place): boolean =>
  inner.host.endsWith(outer.host) &&
  (inner.host.length === outer.host.length || inner.host[inner.host.length - outer.host.length - 1] === ".") &&
  outer.path.every((segment, index) => segment === "" || segment === inner.path[index])
