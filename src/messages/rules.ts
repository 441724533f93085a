import { InvalidRequest } from "../contract/failures/Failure.ts"
import { Unknown } from "../contract/Unknown.ts"
import { isToolName, toolNameRule } from "../generation/toolName.ts"
import { wrongPlace } from "../generation/userLocation.ts"
import type { ContentBlock } from "./Blocks.ts"
import type { AnyRequest, InputMessage } from "./Request.ts"
import { toolChangeRule } from "./offeredTools.ts"
import { isWebSearch, toolName } from "./toolName.ts"
import type { Tool, WebSearchTool } from "./Tools.ts"
import type { RequestParts } from "./unsupportedParts.ts"

type Verdict = InvalidRequest | undefined

/** Checks the rules between fields, which schemas cannot express. Returns the first mistake. */
export const brokenRule = (request: AnyRequest, parts: RequestParts, betas = ""): Verdict =>
  thinkingRule(request, betas) ??
  toolsRule(request.tools ?? []) ??
  (parts.toolChanges.length === 0 ? undefined : toolChangeRule(request, parts.hasServers, betas)) ??
  toolChoiceRule(request, parts) ??
  messagesRule(request.messages, parts.blocks)

const broken = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const firstBroken = <A>(values: ReadonlyArray<A>, rule: (value: A, index: number) => Verdict): Verdict => {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    const verdict = value === undefined ? undefined : rule(value, index)
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** Clients' conformance tests look for the dialect's own words. */
const thinkingRule = ({ thinking, max_tokens }: AnyRequest, betas: string): Verdict => {
  if (thinking?.type !== "enabled") return undefined
  if (thinking.budget_tokens < 1024) {
    return new InvalidRequest({
      param: "thinking.budget_tokens",
      message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    })
  }
  // With interleaved thinking, the budget is for a whole turn and may exceed one answer's bound.
  const isBounded = max_tokens !== undefined && !betas.includes("interleaved-thinking-2025-05-14")
  return isBounded && thinking.budget_tokens >= max_tokens
    ? broken("max_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`")
    : undefined
}

const toolsRule = (tools: ReadonlyArray<Tool>): Verdict =>
  tools.length === 0 ? undefined : (firstBroken(tools, toolRule) ?? uniqueNames(tools))

const toolRule = (tool: Tool, index: number): Verdict => {
  const name = toolName(tool)
  if (isWebSearch(tool)) {
    return name === "web_search"
      ? webSearchRule(tool, `tools[${index}]`)
      : broken(`tools[${index}].name`, `expected "web_search"; got ${inQuotes(name)}`)
  }
  return tool instanceof Unknown || isToolName(name)
    ? undefined
    : broken(`tools[${index}].name`, `${toolNameRule}; got ${inQuotes(name)}`)
}

const webSearchRule = (tool: WebSearchTool, at: string): Verdict => {
  const allowed = tool.allowed_domains ?? []
  const blocked = tool.blocked_domains ?? []
  if (allowed.length > 0 && blocked.length > 0) {
    return broken(`${at}.blocked_domains`, "cannot be combined with allowed_domains; send one of them")
  }
  return (
    firstBroken(allowed, domainRule(`${at}.allowed_domains`)) ??
    firstBroken(blocked, domainRule(`${at}.blocked_domains`)) ??
    placeRule(tool.user_location ?? {}, `${at}.user_location`)
  )
}

/** A host with an optional path. */
const domain = /^[^\s/:?#@\\]+(\/[^\s?#\\]*)?$/

const domainRule =
  (at: string) =>
  (value: string, index: number): Verdict =>
    domain.test(value)
      ? undefined
      : broken(
          `${at}[${index}]`,
          `expected a domain without a scheme, such as example.com or example.com/docs; got ${inQuotes(value)}`
        )

const placeRule = (location: Parameters<typeof wrongPlace>[0], at: string): Verdict => {
  const wrong = wrongPlace(location)
  return wrong === undefined ? undefined : broken(`${at}.${wrong.field}`, wrong.rule)
}

const uniqueNames = (tools: ReadonlyArray<Tool>): Verdict => {
  if (tools.length < 2) return undefined
  const seen = new Set<string>()
  return firstBroken(tools, (tool, index) => {
    const name = toolName(tool)
    // Anthropic's tools without a name of their own may come twice.
    if (name === tool.type) return undefined
    if (seen.has(name))
      return broken(`tools[${index}].name`, `tool names must be unique; ${inQuotes(name)} comes twice`)
    seen.add(name)
    return undefined
  })
}

const toolChoiceRule = ({ tool_choice }: AnyRequest, { hasServers, offered }: RequestParts): Verdict => {
  if (tool_choice?.type !== "any" && tool_choice?.type !== "tool") return undefined
  const names = offered.map(toolName)
  if (names.length === 0 && !(hasServers && tool_choice.type === "any"))
    return broken("tool_choice", `"${tool_choice.type}" needs at least one tool in tools`)
  return tool_choice.type === "tool" && !names.includes(tool_choice.name)
    ? broken("tool_choice.name", `expected one of ${names.join(", ")}; got ${inQuotes(tool_choice.name)}`)
    : undefined
}

const messagesRule = (messages: AnyRequest["messages"], blocks: ReadonlyArray<ContentBlock>): Verdict => {
  if (typeof messages === "string") return undefined
  return messages.length === 0
    ? broken("messages", "expected a non empty string or an array of at least one message; got an empty array")
    : blocks.some(isOfTool)
      ? toolResultsRule(messages)
      : undefined
}

/** Every tool result answers an earlier tool use, and the message after a tool use answers it. */
const toolResultsRule = (messages: ReadonlyArray<InputMessage>): Verdict => {
  const used = new Set<string>()
  let unanswered = new Set<string>()
  return firstBroken(messages, (message, index) => {
    if (message.role === "system") return undefined
    const blocks = typeof message.content === "string" ? [] : message.content
    const asked = unanswered
    // The set is handed over instead of copied, which would be quadratic for thousands of messages.
    unanswered = message.role === "assistant" ? asked : new Set()
    for (const [at, block] of blocks.entries()) {
      if (block.type === "tool_use") {
        used.add(block.id)
        unanswered.add(block.id)
      } else if (block.type === "tool_result") {
        if (!used.has(block.tool_use_id)) {
          return broken(
            `messages[${index}].content[${at}].tool_use_id`,
            `no tool_use block before it has the id ${inQuotes(block.tool_use_id)}`
          )
        }
        asked.delete(block.tool_use_id)
      }
    }
    const [missing] = message.role === "user" ? asked : []
    return missing === undefined
      ? undefined
      : broken(`messages[${index}]`, `the tool_use ${inQuotes(missing)} before it needs a tool_result block here`)
  })
}

const isOfTool = ({ type }: ContentBlock): boolean => type === "tool_use" || type === "tool_result"

/** The caller's value, shortened. */
const inQuotes = (value: string) => JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value)
