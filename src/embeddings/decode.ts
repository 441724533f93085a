import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Part } from "../generation/Conversation.ts"
import { countText } from "../tokens/tokens.ts"
import type { CreateEmbeddings } from "./Request.ts"

/** OpenAI's limits: inputs of a request, and tokens of each. */
const most = { inputs: 2_048, tokens: 8_192 }

/** Tokens are counted, input by input, up to this many characters of a request. The upstream checks the rest. */
const countedCharacters = 65_536

/** The inputs, to compute the price. Fails with the first mistake in them. */
export const decode = (request: CreateEmbeddings) => {
  const inputs = inputsOf(request)
  if (inputs instanceof InvalidRequest) return inputs
  const wrong =
    inputs.length > most.inputs ? refusalOf("input", `expected at most ${most.inputs} inputs`) : bounds(inputs)
  if (wrong !== undefined) return wrong
  const other = inputs.find(({ isForeign, tokens }) => isForeign === true || tokens !== undefined)
  const unread = other && refusalOf(other.at, "a guardrail looks at texts alone; send a text")
  return { model: request.model, inputs: inputs.map(partOf), endUser: request.user ?? undefined, unread }
}

interface Input {
  readonly at: string
  readonly text: string
  /** Set if the input consists of token ids. */
  readonly tokens: number | undefined
  /** True for an input that only the upstream understands. It counts as an image. */
  readonly isForeign?: true
}

const partOf = ({ isForeign, text }: Input): Part =>
  isForeign === true ? { type: "image", source: { type: "url", url: "" }, detail: "auto" } : { type: "text", text }

const refusalOf = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const inputsOf = ({ input, messages }: CreateEmbeddings): ReadonlyArray<Input> | InvalidRequest => {
  if (input === undefined || input === null) {
    const count = messages?.length ?? 0
    return count === 0 ? refusalOf("input", "is required") : [foreign("messages")]
  }
  if (typeof input === "string") return [textOf(input, "input")]
  if (input.length === 0) return refusalOf("input", "expected at least one input")
  const tokens = input.filter((one) => typeof one === "number")
  if (tokens.length === input.length) return [tokensOf(tokens, "input")]
  const inputs: Array<Input> = []
  for (const [index, one] of input.entries()) {
    const at = `input[${index}]`
    if (typeof one === "string") inputs.push(textOf(one, at))
    else if (isTokens(one)) inputs.push(tokensOf(one, at))
    else if (typeof one === "object") inputs.push(foreign(at))
    if (typeof one === "number" || isTokens(one) !== isTokens(input[0])) {
      return refusalOf(at, "expected all inputs to be texts, or all to be tokens")
    }
  }
  return inputs
}

const isTokens = (input: unknown): input is ReadonlyArray<number> => Array.isArray(input)

const foreign = (at: string): Input => ({ at, text: "an input", tokens: undefined, isForeign: true })

const textOf = (text: string, at: string): Input => ({ at, text, tokens: undefined })

const tokensOf = (tokens: ReadonlyArray<number>, at: string): Input => ({
  at,
  text: " a".repeat(Math.min(tokens.length, most.tokens)),
  tokens: tokens.length
})

const bounds = (inputs: ReadonlyArray<Input>): InvalidRequest | undefined => {
  let left = countedCharacters
  for (const { at, text, tokens } of inputs) {
    if (text === "") return refusalOf(at, "is empty")
    // A token is at least one byte, and a UTF-16 unit at most three.
    const isShort = text.length * 3 <= most.tokens
    const count = tokens ?? (isShort || left <= 0 ? 0 : countText(text))
    if (tokens === undefined && !isShort) left -= text.length
    if (count > most.tokens) return refusalOf(at, `expected at most ${most.tokens} tokens; got ${count}`)
  }
  return undefined
}
