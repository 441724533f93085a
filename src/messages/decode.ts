import { Either } from "effect"
import type { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation, OutputFormat, Reasoning, Tool, ToolChoice } from "../generation/Conversation.ts"
import { clientToolAsFunction } from "./clientTools.ts"
import { items } from "./content.ts"
import type { AnyRequest } from "./rules.ts"
import { brokenRule, isWebSearch, toolName } from "./rules.ts"
import { isHosted } from "./Tools.ts"
import type * as Wire from "./Tools.ts"

/** A request in the words both text families share; fails with the first rule between its fields that it breaks. */
export const decode = (request: AnyRequest): Either.Either<Conversation, InvalidRequest> => {
  const broken = brokenRule(request)
  return broken === undefined ? Either.right(conversation(request)) : Either.left(broken)
}

const conversation = (request: AnyRequest): Conversation => ({
  model: request.model,
  system: system(request.system ?? []),
  items: items(request.messages),
  tools: request.tools?.filter((wire) => !isHosted(wire)).map(tool) ?? [],
  toolChoice: toolChoice(request.tool_choice ?? { type: "auto" }),
  parallelToolCalls: !isSerial(request.tool_choice ?? { type: "auto" }),
  reasoning: reasoning(request),
  sampling: {
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    topK: request.top_k ?? undefined
  },
  maxOutputTokens: request.max_tokens,
  stopSequences: request.stop_sequences ?? [],
  format: format(request),
  truncation: "disabled",
  endUser: request.metadata?.user_id ?? undefined,
  cacheKey: undefined
})

const system = (system: NonNullable<AnyRequest["system"]>): ReadonlyArray<string> =>
  (typeof system === "string" ? [system] : system.map(({ text }) => text)).filter((text) => text !== "")

const tool = (wire: Wire.Tool): Tool => {
  if (isWebSearch(wire)) return searchTool(wire)
  if (!("input_schema" in wire)) return clientToolAsFunction(wire.type, wire.name ?? wire.type)
  return {
    type: "function",
    name: wire.name,
    description: wire.description ?? undefined,
    parameters: wire.input_schema,
    strict: wire.strict ?? undefined
  }
}

const searchTool = (wire: Wire.WebSearchTool): Tool => ({
  type: "search",
  name: toolName(wire),
  allowedDomains: nonEmpty(wire.allowed_domains),
  blockedDomains: nonEmpty(wire.blocked_domains),
  maxUses: wire.max_uses ?? undefined,
  contextSize: "medium",
  location:
    wire.user_location === undefined || wire.user_location === null
      ? undefined
      : {
          city: wire.user_location.city ?? undefined,
          region: wire.user_location.region ?? undefined,
          country: wire.user_location.country ?? undefined,
          timezone: wire.user_location.timezone ?? undefined
        }
})

const nonEmpty = (domains: ReadonlyArray<string> | null | undefined) =>
  domains === undefined || domains === null || domains.length === 0 ? undefined : domains

const toolChoice = (choice: Wire.ToolChoice): ToolChoice => {
  switch (choice.type) {
    case "auto":
    case "none":
      return { type: choice.type }
    case "any":
      return { type: "required", names: undefined }
    case "tool":
      return { type: "tool", name: choice.name }
  }
}

const isSerial = (choice: Wire.ToolChoice) => choice.type !== "none" && (choice.disable_parallel_tool_use ?? false)

const reasoning = ({ thinking, output_config }: AnyRequest): Reasoning => ({
  enabled: thinking === undefined || thinking === null ? undefined : thinking.type !== "disabled",
  effort: output_config?.effort ?? undefined,
  budgetTokens: thinking?.type === "enabled" ? thinking.budget_tokens : undefined,
  summary: thinking === undefined || thinking === null || isHidden(thinking) ? undefined : "auto"
})

/** Whether the caller wants thinking signed but not shown. */
export const isHidden = (thinking: AnyRequest["thinking"]): boolean =>
  thinking !== undefined && thinking !== null && thinking.type !== "disabled" && thinking.display === "omitted"

const format = ({ output_config, output_format }: AnyRequest): OutputFormat => {
  const wanted = output_config?.format ?? output_format ?? undefined
  return wanted === undefined
    ? { type: "text" }
    : { type: "json-schema", name: "answer", description: undefined, schema: wanted.schema, strict: undefined }
}
