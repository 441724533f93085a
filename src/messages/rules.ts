import { InvalidRequest } from "../contract/Failure.ts"
import type { CountTokens, CreateMessage, InputMessage } from "./Request.ts"
import type { Tool, WebSearchTool } from "./Tools.ts"

/** A request of either endpoint; one to count tokens has no `max_tokens`. */
export type AnyRequest = CountTokens & Partial<Omit<CreateMessage, keyof CountTokens>>

type Verdict = InvalidRequest | undefined

/** The rules between fields, which the contract's schemas cannot say. Answers the first one broken. */
export const brokenRule = (request: AnyRequest): Verdict =>
  thinkingRule(request) ??
  firstBroken(request.tools ?? [], toolRule) ??
  uniqueNames(request.tools ?? []) ??
  toolChoiceRule(request) ??
  (typeof request.messages === "string" ? undefined : toolResultsRule(request.messages))

export const isWebSearch = (tool: Tool): tool is WebSearchTool => tool.type?.startsWith("web_search") ?? false

/** The name a tool goes by; web search need not say it. */
export const toolName = (tool: Tool): string => tool.name ?? (isWebSearch(tool) ? "web_search" : (tool.type ?? ""))

const broken = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const firstBroken = <A>(values: ReadonlyArray<A>, rule: (value: A, index: number) => Verdict): Verdict => {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    const verdict = value === undefined ? undefined : rule(value, index)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** In the dialect's own words: conformance tests of clients look for them. */
const thinkingRule = ({ thinking, max_tokens }: AnyRequest): Verdict => {
  if (thinking?.type !== "enabled") return undefined
  if (thinking.budget_tokens < 1024) {
    return new InvalidRequest({
      param: "thinking.budget_tokens",
      message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    })
  }
  return max_tokens !== undefined && thinking.budget_tokens >= max_tokens
    ? broken("max_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`")
    : undefined
}

const toolRule = (tool: Tool, index: number): Verdict =>
  isWebSearch(tool) ? webSearchRule(tool, `tools[${index}]`) : undefined

const webSearchRule = (tool: WebSearchTool, at: string): Verdict => {
  const allowed = tool.allowed_domains ?? []
  const blocked = tool.blocked_domains ?? []
  if (allowed.length > 0 && blocked.length > 0) {
    return broken(`${at}.blocked_domains`, "cannot be combined with allowed_domains; send one of them")
  }
  return (
    firstBroken(allowed, domainRule(`${at}.allowed_domains`)) ??
    firstBroken(blocked, domainRule(`${at}.blocked_domains`)) ??
    timeZoneRule(tool.user_location?.timezone ?? undefined, `${at}.user_location.timezone`)
  )
}

/** A host, and perhaps a path. */
const domain = /^[^\s/:?#@\\]+(\/[^\s?#\\]*)?$/

const domainRule =
  (at: string) =>
  (value: string, index: number): Verdict =>
    domain.test(value)
      ? undefined
      : broken(
          `${at}[${index}]`,
          `expected a domain without a scheme, such as example.com or example.com/docs; got ${quoted(value)}`
        )

const timeZoneRule = (zone: string | undefined, at: string): Verdict =>
  zone === undefined || isTimeZone(zone)
    ? undefined
    : broken(at, `expected an IANA time zone id, such as Europe/Berlin; got ${quoted(zone)}`)

const isTimeZone = (zone: string): boolean => {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    Intl.DateTimeFormat("en", { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const uniqueNames = (tools: ReadonlyArray<Tool>): Verdict => {
  if (tools.length < 2) return undefined
  const seen = new Set<string>()
  return firstBroken(tools, (tool, index) => {
    const name = toolName(tool)
    // Those of Anthropic's that have no name may come twice.
    if (name === tool.type) return undefined
    if (seen.has(name)) return broken(`tools[${index}].name`, `tool names must be unique; ${quoted(name)} comes twice`)
    seen.add(name)
    return undefined
  })
}

const toolChoiceRule = ({ tool_choice, tools }: AnyRequest): Verdict => {
  if (tool_choice?.type !== "any" && tool_choice?.type !== "tool") return undefined
  const names = (tools ?? []).map(toolName)
  if (names.length === 0) return broken("tool_choice", `"${tool_choice.type}" needs at least one tool in tools`)
  return tool_choice.type === "tool" && !names.includes(tool_choice.name)
    ? broken("tool_choice.name", `expected one of ${names.join(", ")}; got ${quoted(tool_choice.name)}`)
    : undefined
}

/** Every tool result answers a tool use before it, and every tool use is answered by the message after it. */
const toolResultsRule = (messages: ReadonlyArray<InputMessage>): Verdict => {
  if (!messages.some(hasTools)) return undefined
  const used = new Set<string>()
  let unanswered = new Set<string>()
  return firstBroken(messages, (message, index) => {
    if (message.role === "system") return undefined
    const blocks = typeof message.content === "string" ? [] : message.content
    const asked = unanswered
    // The next assistant message goes on with the same set: copying it would take forever for thousands of them.
    unanswered = message.role === "assistant" ? asked : new Set()
    for (const [at, block] of blocks.entries()) {
      if (block.type === "tool_use") {
        used.add(block.id)
        unanswered.add(block.id)
      } else if (block.type === "tool_result") {
        if (!used.has(block.tool_use_id)) {
          return broken(
            `messages[${index}].content[${at}].tool_use_id`,
            `no tool_use block before it has the id ${quoted(block.tool_use_id)}`
          )
        }
        asked.delete(block.tool_use_id)
      }
    }
    const [missing] = message.role === "user" ? asked : []
    return missing === undefined
      ? undefined
      : broken(`messages[${index}]`, `the tool_use ${quoted(missing)} before it needs a tool_result block here`)
  })
}

const hasTools = ({ content }: InputMessage): boolean =>
  typeof content !== "string" && content.some(({ type }) => type === "tool_use" || type === "tool_result")

/** What the caller sent, short enough to be read back. */
const quoted = (value: string) => JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value)
