import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { countText } from "../tokens/tokens.ts"
import type { CreateEmbeddings } from "./Request.ts"

/** OpenAI's limits: inputs of a request, and tokens of each. */
const most = { inputs: 2_048, tokens: 8_192 }

/** Tokens are counted, input by input, up to this many characters of a request. The upstream checks the rest. */
const countedCharacters = 65_536

/** The inputs as a conversation without an answer, to compute the price. Fails with the first mistake in them. */
export const decode = (request: CreateEmbeddings): Conversation | InvalidRequest => {
  const inputs = inputsOf(request.input)
  if (inputs instanceof InvalidRequest) return inputs
  const wrong =
    inputs.length > most.inputs ? refused("input", `expected at most ${most.inputs} inputs`) : bounds(inputs)
  if (wrong !== undefined) return wrong
  return {
    model: request.model,
    system: [],
    items: [{ type: "message", role: "user", content: inputs.map(({ text }) => ({ type: "text", text })) }],
    tools: [],
    toolChoice: { type: "auto" },
    parallelToolCalls: true,
    reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
    sampling: { temperature: undefined, topP: undefined, topK: undefined },
    maxOutputTokens: 0,
    stopSequences: [],
    format: { type: "text" },
    truncation: "disabled",
    endUser: request.user ?? undefined,
    cacheKey: undefined
  }
}

interface Input {
  readonly at: string
  readonly text: string
  /** Set if the input consists of token ids. */
  readonly tokens: number | undefined
}

const refused = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const inputsOf = (input: CreateEmbeddings["input"]): ReadonlyArray<Input> | InvalidRequest => {
  if (typeof input === "string") return [textOf(input, "input")]
  if (input.length === 0) return refused("input", "expected at least one input")
  const tokens = input.filter((one) => typeof one === "number")
  if (tokens.length === input.length) return [tokensOf(tokens, "input")]
  const inputs: Array<Input> = []
  for (const [index, one] of input.entries()) {
    const at = `input[${index}]`
    if (typeof one === "number" || typeof one !== typeof input[0]) {
      return refused(at, "expected all inputs to be texts, or all to be tokens")
    }
    inputs.push(typeof one === "string" ? textOf(one, at) : tokensOf(one, at))
  }
  return inputs
}

const textOf = (text: string, at: string): Input => ({ at, text, tokens: undefined })

const tokensOf = (tokens: ReadonlyArray<number>, at: string): Input => ({
  at,
  text: " a".repeat(Math.min(tokens.length, most.tokens)),
  tokens: tokens.length
})

const bounds = (inputs: ReadonlyArray<Input>): InvalidRequest | undefined => {
  let left = countedCharacters
  for (const { at, text, tokens } of inputs) {
    if (text === "") return refused(at, "is empty")
    // A token is at least one byte, and a UTF-16 unit at most three.
    const isShort = text.length * 3 <= most.tokens
    const count = tokens ?? (isShort || left <= 0 ? 0 : countText(text))
    if (tokens === undefined && !isShort) left -= text.length
    if (count > most.tokens) return refused(at, `expected at most ${most.tokens} tokens; got ${count}`)
  }
  return undefined
}
