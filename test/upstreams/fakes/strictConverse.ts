import { spoken } from "./scenarios.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

/** What Bedrock would answer 400 to, of a Converse request; undefined where it takes it. */
export const converseComplaint = (body: Any, model: string): string | undefined => {
  try {
    check(body, model)
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

class Refused extends Error {}

const must = (holds: unknown, rule: string): void => {
  if (!holds) throw new Refused(rule)
}

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])
const keyOf = (block: Any): string => {
  const keys = Object.keys(block)
  must(keys.length === 1, `a union has one member: ${keys.join()}`)
  return keys[0] ?? ""
}
const knows = (value: Any, names: string, at: string): void => {
  for (const key of Object.keys(value ?? {})) must(names.split(" ").includes(key), `${at}: unknown field ${key}`)
}
const isBase64 = (text: unknown) => typeof text === "string" && text !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

const fields =
  "messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables " +
  "additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig"

const check = (body: Any, model: string): void => {
  knows(body, fields, "body")
  const isClaude = model.includes("claude")
  const turns = list(body.messages)
  must(turns[0]?.role === "user", "A conversation must start with a user message.")
  checkInference(body, isClaude)
  for (const block of list(body.system)) checkBlock(block, "text cachePoint guardContent")
  const tools = checkTools(body, isClaude)
  const points = [...JSON.stringify(body).matchAll(/"cachePoint"/g)].length
  must(points <= 4, `${points} cache points`)
  const names: Array<string> = []
  turns.forEach((turn, index) => {
    knows(turn, "role content", "messages")
    must(turn.role === (index % 2 === 0 ? "user" : "assistant"), "roles must alternate")
    const content = list(turn.content)
    must(content.length > 0, `messages.${index}: content is empty`)
    for (const block of content) checkBlock(block, blocksOf[turn.role as "user" | "assistant"])
    const documents = content.flatMap((block) => (block.document === undefined ? [] : [block.document]))
    names.push(...documents.map(({ name }) => name))
    if (documents.length > 0)
      must(
        content.some(({ text }) => text !== undefined),
        "a document needs a text block"
      )
    const isTooled = content.some(({ toolResult, toolUse }) => toolUse !== undefined || toolResult !== undefined)
    if (isTooled)
      must(tools > 0, "The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    const called = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId]))
    const answered = list(turns[index + 1]?.content).flatMap(({ toolResult }) => toolResult?.toolUseId ?? [])
    for (const id of called) must(answered.includes(id), `Expected toolResult blocks for ${id}`)
    must(
      answered.every((id) => called.includes(id)),
      "The number of toolResult blocks exceeds that of toolUse blocks"
    )
    const first = content.findIndex(({ toolResult }) => toolResult === undefined)
    must(first === -1 || content.slice(first).every(({ toolResult }) => toolResult === undefined), "results come first")
  })
  must(new Set(names).size === names.length, `duplicate document names: ${names.join()}`)
  const thinks = body.additionalModelRequestFields?.thinking?.type === "enabled"
  const last = turns.at(-1)?.content
  if (isClaude && thinks && list(last)[0]?.toolResult !== undefined) {
    must(turns.at(-2)?.content[0]?.reasoningContent !== undefined, "Expected `thinking`, but found `tool_use`")
  }
}

const blocksOf = {
  user: "text image document video audio toolResult cachePoint guardContent searchResult",
  assistant: "text toolUse reasoningContent cachePoint citationsContent"
}

const checkInference = (body: Any, isClaude: boolean): void => {
  const inference = body.inferenceConfig
  knows(inference, "maxTokens temperature topP stopSequences", "inferenceConfig")
  must((inference?.temperature ?? 0) <= 1, "temperature: at most 1")
  must(isClaude || list(inference?.stopSequences).length <= 4, "stopSequences: at most 4")
  const thinking = body.additionalModelRequestFields?.thinking
  must(thinking === undefined || isClaude, "extraneous key [thinking] is not permitted")
  if (thinking?.type === "enabled") {
    must(thinking.budget_tokens >= 1_024, "thinking.budget_tokens: at least 1024")
    must(thinking.budget_tokens < inference?.maxTokens, "max_tokens: must be greater than thinking.budget_tokens")
    must((inference?.temperature ?? 1) === 1, "temperature: only 1 with thinking")
    must(body.toolConfig?.toolChoice?.any === undefined, "tool_choice: can't force tools with thinking")
    must(body.toolConfig?.toolChoice?.tool === undefined, "tool_choice: can't force tools with thinking")
  }
  const reasoning = body.additionalModelRequestFields?.reasoningConfig
  if (reasoning !== undefined) {
    must(!isClaude && ["low", "medium", "high"].includes(reasoning.maxReasoningEffort), "reasoningConfig")
    must(reasoning.maxReasoningEffort !== "high" || inference?.maxTokens === undefined, "maxTokens: unset at high")
  }
}

const checkTools = (body: Any, isClaude: boolean): number => {
  if (body.toolConfig === undefined) return 0
  knows(body.toolConfig, "tools toolChoice", "toolConfig")
  const tools = list(body.toolConfig.tools)
  must(tools.length > 0, "toolConfig.tools: at least one")
  for (const tool of tools) {
    must(isClaude || tool.cachePoint === undefined, "no cache point among tools")
    if (tool.toolSpec === undefined) continue
    const { description, inputSchema, name } = tool.toolSpec
    knows(tool.toolSpec, "name description inputSchema strict", "toolSpec")
    must(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `toolSpec.name: ${name}`)
    must(description !== "", "toolSpec.description: at least one character")
    must(inputSchema.json.type === "object", "toolSpec.inputSchema.json.type: must be object")
  }
  if (body.toolConfig.toolChoice !== undefined) keyOf(body.toolConfig.toolChoice)
  return tools.length
}

const checkBlock = (block: Any, kinds: string): void => {
  const kind = keyOf(block)
  must(kinds.split(" ").includes(kind), `no ${kind} here`)
  const value = block[kind]
  switch (kind) {
    case "text":
      return must(/\S/.test(value), "The text field in the ContentBlock object is blank.")
    case "image":
      must(["png", "jpeg", "gif", "webp"].includes(value.format), `image.format: ${value.format}`)
      return must(isBase64(value.source.bytes), "image.source.bytes")
    case "document":
      must(/^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/.test(value.name), `document.name: ${value.name}`)
      return must(isBase64(value.source.bytes), "document.source.bytes")
    case "toolUse":
      must(/^[a-zA-Z0-9_-]{1,64}$/.test(value.toolUseId), `toolUseId: ${value.toolUseId}`)
      return must(typeof value.input === "object" && !Array.isArray(value.input), "toolUse.input: an object")
    case "toolResult":
      knows(value, "toolUseId content status", "toolResult")
      must(list(value.content).length > 0, "toolResult.content: at least one")
      for (const inner of value.content) checkBlock(inner, "text json image document video")
      return
    case "reasoningContent":
      if (value.redactedContent !== undefined) return must(isBase64(value.redactedContent), "redactedContent")
      return must(value.reasoningText.signature === spoken.signature, "Invalid `signature` in `thinking` block")
    case "cachePoint":
      return must(value.type === "default", "cachePoint.type")
    default:
      return
  }
}
