import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation, SearchTool } from "../generation/Conversation.ts"

const mostDomains = 100

/**
 * Why a search can't be made here: filtering by many domains is work for each page and each search. Where the request
 * passes through, the upstream decides; where the account has rules of its own, `withinAccount` has looked.
 */
export const tooManyDomains = ({ caller, conversation }: Searching): InvalidRequest | undefined =>
  isConfined(caller) ? undefined : tooMany(conversation)

interface Searching {
  readonly caller: Caller
  readonly conversation: Conversation
}

/** Of all the searches of a request together: a request that passes through may have many. */
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
 * Keeps a request's web searches within what its account allows: with the account's own lists where it says nothing, and
 * refused where it asks for more. Undefined where there is nothing to change.
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
  /** What becomes of a search that says nothing itself; a request that passes through may have many. */
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

/** A domain, and perhaps a path in it, as it is compared. */
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

/** The search as the account allows it, or why it doesn't. */
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
    // Upstreams take a list of allowed or one of blocked domains, not both: a hole in an allowed domain can't be said.
    const hole = blocked.find((one) => covers(one, place) || covers(place, one))
    if (hole !== undefined) {
      return `web search of "${place.written}" is not open to this account; it blocks ${hole.written}`
    }
  }
  if (tool.allowedDomains.length === 0) return "no domain is left that web search may use under this account's rules"
  return { ...tool, blockedDomains: undefined }
}

/** Whether web searches of the account may not find everything. */
export const isConfined = ({ searchDomains: { allowed, blocked } }: Caller): boolean =>
  allowed !== undefined || blocked !== undefined

/** Whether all of `inner` lies in `outer`: the domain itself, its subdomains, or a path below it. */
const covers = (outer: Place, inner: Place): boolean =>
  inner.host.endsWith(outer.host) &&
  (inner.host.length === outer.host.length || inner.host[inner.host.length - outer.host.length - 1] === ".") &&
  outer.path.every((segment, index) => segment === "" || segment === inner.path[index])
