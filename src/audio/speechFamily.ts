import { InvalidRequest } from "../contract/failures/Failure.ts"
import { bytesFamily } from "../pipeline/bytesFamily.ts"
import type { CreateSpeech } from "./Api.ts"

const mostCharacters = 100_000
/** A second of sound has 21 tokens at OpenAI, and slow speech three characters. */
const mostTokensEach = 7
/** Sound before and after the words. */
const mostSilence = 500

/** Speech for `Pipeline`: passthrough only, charged by the character or by tokens. */
export const speechFamily = bytesFamily<CreateSpeech>({
  dialect: "speech",
  noUpstream: "model: none of this model's upstreams speaks",
  decode: ({ input, instructions, model, speed }) => {
    const characters = lengthOf(input)
    if (characters > mostCharacters) {
      const message = `input: expected at most ${mostCharacters} characters; got ${characters}`
      return new InvalidRequest({ param: "input", message })
    }
    return {
      model,
      stream: true,
      counts: { characters },
      inputs: [input, instructions ?? ""].map((text) => ({ type: "text", text })),
      maxOutputTokens: Math.ceil((characters * mostTokensEach) / (speed ?? 1)) + mostSilence,
      demands: () => [{ of: "characters", param: "input", value: "speech", mostCalls: characters }]
    }
  }
})

/** Characters as providers count them: code points. */
const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}
