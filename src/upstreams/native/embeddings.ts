import { countAt, isObject, listAt, objectAt, parseJson } from "../../contract/json.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../generationOf.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { NativeRequest } from "../Upstream.ts"

/** Reads vectors that pass through: the model's name is replaced, the input's tokens are told. */
export const forwardedEmbeddings = ({ body, rewrite }: NativeRequest): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const answer = parseJson(text)
    if (!isObject(answer)) return [noAnswer(text)]
    if (isObject(answer["error"])) return [failedWith(answer["error"])]
    const data = listAt(answer, "data")
    if (data.length !== inputsOf(body["input"]) || !data.every(hasVector)) return [noAnswer(text)]
    const usage = objectAt(answer, "usage")
    const inputTokens = countAt(usage, "prompt_tokens") ?? countAt(usage, "total_tokens")
    const told: ReadonlyArray<GenerationEvent> =
      inputTokens === undefined ? [] : [{ type: "usage", usage: { ...noUsage, inputTokens } }]
    const as = ({ inputTokens: tokens }: Usage) =>
      JSON.stringify(rewrite({ ...answer, usage: { prompt_tokens: tokens, total_tokens: tokens } }))
    return [
      ...told,
      { type: "native", terminal: true, text: JSON.stringify(rewrite(answer)), telling: { isTotal: true, as } },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
})

/** A text, or one text's tokens, is one. */
const inputsOf = (input: unknown): number => (Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1)

const hasVector = (one: unknown): boolean =>
  isObject(one) && (Array.isArray(one["embedding"]) || typeof one["embedding"] === "string")
