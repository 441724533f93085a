import { isObject, listAt } from "../json/json.ts"
import { isSecret } from "./withoutSecrets.ts"

/** Instead of a secret. */
const hidden = "[redacted]"

/** JSON Schemas, whose names are a tool's parameters. */
const schemas: ReadonlySet<string> = new Set(["parameters", "input_schema", "schema", "json_schema"])

/** Endings of names, without dashes and underscores, of fields with secrets: of a text, or of all texts within. */
const secretly = [
  "authorization",
  "headers",
  "token",
  "secret",
  "secrets",
  "password",
  "apikey",
  "credentials",
  "cookie"
]

/** Names of a server's address. Some have a token in their path or query. */
const addresses: ReadonlySet<string> = new Set(["server_url", "url"])

/** Fields of a body that name tools and servers. */
const holders = ["tools", "mcp_servers"] as const

type Note = (secret: string) => void

const nothing = () => {}

/**
 * Tools or servers of a request without what the caller entrusts to them: tokens and headers are replaced, and an
 * address is cut to its origin, as OpenAI answers them.
 */
export const withoutEntrusted = (tools: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  tools.some(mayEntrust) ? tools.map((tool) => (mayEntrust(tool) ? replaced(tool, "", nothing) : tool)) : tools

/** A body whose tools and servers have no secrets; the same object if it has none. */
export const bodyWithoutEntrusted = (body: unknown): unknown => {
  const own = holderWithout(body)
  const items = itemsOf(own)
  const changed = items.map(holderWithout)
  return isObject(own) && changed.some((item, index) => item !== items[index]) ? { ...own, input: changed } : own
}

const holderWithout = (holder: unknown): unknown => {
  if (!isObject(holder)) return holder
  const changed = holders.flatMap((name) => {
    const from = holder[name]
    if (!Array.isArray(from)) return []
    const to = withoutEntrusted(from)
    return to === from ? [] : [[name, to] as const]
  })
  return changed.length === 0 ? holder : { ...holder, ...Object.fromEntries(changed) }
}

/** The items of a conversation, some of which add tools. */
const itemsOf = (body: unknown): ReadonlyArray<unknown> => listAt(body, "input")

/** The secrets that a body entrusts to its tools and servers, longer ones first, to cut from words about it. */
export const entrustedIn = (body: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const holder of [body, ...itemsOf(body)]) {
    for (const name of holders) {
      for (const tool of listAt(holder, name)) if (mayEntrust(tool)) replaced(tool, "", (one) => found.add(one))
    }
  }
  if (found.size === 0) return none
  return [...found].filter(isSecret).sort((one, other) => other.length - one.length)
}

/** False for tools that run at the caller, and for searches: most requests have no others. */
const mayEntrust = (tool: unknown): boolean => {
  if (!isObject(tool)) return false
  const { type } = tool
  return typeof type !== "string" ? !("input_schema" in tool) : !plain.has(type) && !type.startsWith("web_search")
}

const plain: ReadonlySet<string> = new Set(["function", "custom", "namespace", "tool_search"])

const none: ReadonlyArray<never> = []

const isSecretly = (name: string): boolean => {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, "")
  return secretly.some((ending) => plain.endsWith(ending))
}

const replaced = (value: unknown, name: string, note: Note): unknown => {
  if (isSecretly(name)) return hiddenIn(value, note)
  if (typeof value === "string") return addresses.has(name) ? originOf(value, note) : value
  if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, "", note))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, schemas.has(key) ? one : replaced(one, key, note)])
  )
}

/** Keeps names, which say what was entrusted. */
const hiddenIn = (value: unknown, note: Note): unknown => {
  if (typeof value === "string") {
    note(value)
    note(value.replace(/^\w+ +/, ""))
    return hidden
  }
  if (Array.isArray(value)) return value.map((one: unknown) => hiddenIn(one, note))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "name" || key === "domain" || key === "type" ? one : hiddenIn(one, note)
    ])
  )
}

const originOf = (address: string, note: Note): string => {
  const url = URL.parse(address)
  if (url === null) {
    note(address)
    return hidden
  }
  if (address === url.origin || address === `${url.origin}/`) return address
  for (const part of [url.password, url.username, ...url.searchParams.values(), ...url.pathname.split("/")]) {
    if (part.length >= shortestPart) note(part)
  }
  return `${url.origin}/${hidden}`
}

/** Shorter parts of an address are words. */
const shortestPart = 12
