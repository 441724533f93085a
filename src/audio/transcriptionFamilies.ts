import { Effect } from "effect"
import { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import type { BytesFamily } from "../contract/kinds.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { bytesFamily } from "../pipeline/bytesFamily.ts"
import type { CreateTranscription } from "./TranscriptionApi.ts"
import { soundSeconds } from "./soundSeconds.ts"

/** OpenAI's tokens of a second of sound, and the most of a second of fast speech. */
const tokens = { heard: 10, written: 20 }
/** Groq bills as many seconds of shorter sound. */
const leastHeld = 10
/** Around the words: times, speakers. */
const mostAround = 1_000
const bytesPerToken = 4

/** Transcriptions and translations for `Pipeline`: passthrough only, charged by the second or by tokens. */
const family = (dialect: Extract<BytesFamily, "transcriptions" | "translations">, does: string) =>
  bytesFamily<CreateTranscription, number>({
    dialect,
    noUpstream: `model: none of this model's upstreams ${does} sound`,
    lookUp: ({ payload: { file } }) =>
      file instanceof UploadedFile && file.bytes > 0 ? Effect.promise(() => soundSeconds(file)) : undefined,
    decode: ({ file, model, prompt, stream }, seconds) => {
      if (!(file instanceof UploadedFile)) return refusal("expected one file")
      if (seconds === undefined) return refusal("the file is empty")
      return {
        model,
        stream: stream === true || stream === "true",
        counts: { audioSeconds: seconds },
        inputs: [{ type: "text", text: typeof prompt === "string" ? prompt : "" }],
        unknownBytes: seconds * tokens.heard * bytesPerToken,
        maxOutputTokens: seconds * tokens.written + mostAround,
        demands: () => [
          {
            of: "audio_seconds",
            param: "file",
            value: "sound",
            mostCalls: Math.max(leastHeld, seconds),
            counted: seconds
          }
        ]
      }
    }
  })

const refusal = (rule: string) => new InvalidRequest({ param: "file", message: `file: ${rule}` })

export const transcriptionFamily = family("transcriptions", "transcribes")
export const translationFamily = family("translations", "translates")
