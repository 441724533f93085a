import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isObject, listAt, numberAt } from "../contract/json/json.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { countText } from "../tokens/tokens.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { wholeGeneration } from "./wholeGeneration.ts"

/** The catalogue's entry for it. */
export const sandboxEmbedModel = {
  id: "sandbox-embed",
  kind: "embedding",
  routes: [{ upstream: "sandbox", model: "sandbox-embed", facts: { inputs: ["text"] } }],
  contextTokens: 8_192,
  ownedBy: "sandbox"
} as const

const usualDimensions = 256
const mostDimensions = 3_072

const tooManyDimensions = new InvalidRequest({
  param: "dimensions",
  message: `dimensions: sandbox-embed makes vectors of at most ${mostDimensions}`
})

/** The embedded embedding model: unit vectors whose cosine follows the words that two texts share. */
export const sandboxEmbed = endpointOf("embeddings", ({ body, rewrite }) => {
  const foreign = foreignIn(body)
  if (foreign !== undefined) return Effect.fail(foreign)
  const inputs = inputsIn(body["input"])
  const dimensions = numberAt(body, "dimensions") ?? usualDimensions
  if (dimensions > mostDimensions) return Effect.fail(tooManyDimensions)
  const isPacked = body["encoding_format"] === "base64"
  const data = inputs.map((words, index) => {
    const vector = vectorOf(words, dimensions)
    const embedding = isPacked ? Buffer.from(vector.buffer).toString("base64") : [...vector]
    return { object: "embedding", index, embedding }
  })
  const inputTokens = inputs.reduce((sum, words) => sum + (words.tokens ?? countText(words.text)), 0)
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens }
  return Effect.succeed(
    wholeGeneration([
      { type: "usage", usage: { ...noUsage, inputTokens } },
      { type: "passthrough", terminal: true, text: JSON.stringify(rewrite({ object: "list", data, usage })) },
      { type: "finished", reason: "stop", stopSequence: null }
    ])
  )
})

/** Refuses images and whatever else is no text. */
const foreignIn = (body: JsonObject): InvalidRequest | undefined => {
  const at = listAt(body, "input").findIndex(isObject)
  const param = at === -1 ? "messages" : `input[${at}]`
  if (at === -1 && (body["input"] ?? null) !== null) return undefined
  return new InvalidRequest({ param, message: `${param}: sandbox-embed embeds texts alone` })
}

interface Words {
  readonly text: string
  /** Of an input that came as tokens: how many. */
  readonly tokens: number | undefined
}

const inputsIn = (input: JsonObject[string]): ReadonlyArray<Words> => {
  if (typeof input === "string") return [{ text: input, tokens: undefined }]
  const list = listAt({ input }, "input")
  if (list.every((one) => typeof one === "number")) return [ofTokens(list)]
  return list.map((one) => (Array.isArray(one) ? ofTokens(one) : { text: String(one), tokens: undefined }))
}

const ofTokens = (tokens: ReadonlyArray<unknown>): Words => ({ text: tokens.join(" "), tokens: tokens.length })

/** How many places of a vector a word touches: enough for two words to share few of them. */
const placesOfWord = 8

const vectorOf = ({ text }: Words, dimensions: number): Float32Array<ArrayBuffer> => {
  const vector = new Float32Array(dimensions)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]
  for (const word of words) {
    let state = hashOf(word)
    for (let at = 0; at < placesOfWord; at++) {
      state = next(state)
      const place = state % dimensions
      vector[place] = (vector[place] ?? 0) + ((state & 0x8000_0000) === 0 ? 1 : -1)
    }
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  // All its words may have cancelled each other out.
  if (length === 0) vector[0] = 1
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** FNV-1a. */
const hashOf = (word: string): number => {
  let hash = 0x811c_9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x0100_0193)
  return hash >>> 0
}

/** A mixed-up number of 32 bits; never the same one twice in a row. */
const next = (state: number): number => {
  let mixed = (state + 0x9e37_79b9) >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
