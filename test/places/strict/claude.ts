import { blocksOf, firstOf, list, rule } from "./rule.ts"
import type { Any, Ask, Place, Refusal, Rule } from "./rule.ts"

/** 4.5 of claude-sonnet-4-5-20250929, 3.7 of claude-3-7-sonnet, 5 of claude-opus-5; Infinity where no version is seen. */
export const claudeVersion = (model: string): number => {
  const id = model.toLowerCase()
  const old = /claude-(\d)(?:-(\d))?-(?:opus|sonnet|haiku)/.exec(id)
  const late = /claude-(?:opus|sonnet|haiku|fable|mythos)-(\d)(?:[-.](\d{1,2})(?!\d))?/.exec(id)
  const found = old ?? late
  return found === null ? Infinity : Number(found[1]) + Number(found[2] ?? 0) / 10
}

export const isClaude = (ask: Ask): boolean => ask.place !== "bedrock-converse" || ask.model.includes("claude")

export const named = (ask: Ask): boolean => claudeVersion(ask.model) !== Infinity

/** The parameters of a Claude request, wherever it is sent. */
const claudeView = (ask: Ask): Any => {
  if (ask.place !== "bedrock-converse") return ask.body
  const inference = ask.body.inferenceConfig ?? {}
  const choice = ask.body.toolConfig?.toolChoice
  return {
    ...ask.body.additionalModelRequestFields,
    max_tokens: inference.maxTokens,
    temperature: inference.temperature,
    top_p: inference.topP,
    tool_choice: choice === undefined ? undefined : { type: Object.keys(choice)[0] },
    messages: ask.body.messages
  }
}

export const thinks = (view: Any): boolean => view.thinking?.type === "enabled" || view.thinking?.type === "adaptive"

export const claudeRule = (
  id: string,
  at: ReadonlyArray<Place>,
  sure: Rule["sure"],
  date: string,
  source: string,
  about: string,
  find: (view: Any, ask: Ask) => string | Refusal | undefined
) => rule(id, at, sure, date, source, about, (ask) => (isClaude(ask) ? find(claudeView(ask), ask) : undefined))

export const turnsOf = (view: Any): ReadonlyArray<Any> => list(view.messages)

export const eachBlock = (view: Any, find: (block: Any, at: string, turn: Any) => string | Refusal | undefined) =>
  firstOf(turnsOf(view), (turn, index) =>
    firstOf(blocksOf(turn), (block, at) => find(block, `messages.${index}.content.${at}`, turn))
  )

export const docs = "https://platform.claude.com/docs/en"

export const aws = "https://docs.aws.amazon.com/bedrock/latest/userguide"

export const betaTable = "https://github.com/BerriAI/litellm/blob/030dd40a/litellm/anthropic_beta_headers_config.json"
