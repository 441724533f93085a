import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { eventStream } from "../contract/bodies/eventStream.ts"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { transcribe, translate } from "./TranscriptionApi.ts"

/** The body of POST /v1/audio/speech (docs/api.md#speech). Voices and formats are the model's to check. */
export const CreateSpeech = Schema.Struct({
  model: required(Schema.NonEmptyString, "Id of a speech model; `GET /v1/models` lists them. Required."),
  input: required(Schema.NonEmptyString, "The text to speak: at most 100,000 characters. Required."),
  voice: maybe(Schema.Union(Schema.String, JsonObject)).annotations({
    description: "A voice of the model, `alloy` for instance; some upstreams require one."
  }),
  instructions: maybe(Schema.String).annotations({ description: "How to speak, where the model has it." }),
  response_format: maybe(Schema.String).annotations({
    description: "`mp3`, `wav`, `opus`, `aac`, `flac`, `pcm` or another format of the model."
  }),
  speed: maybe(Schema.Number.pipe(Schema.between(0.25, 4))).annotations({
    description: "0.25 to 4 times the usual speed. Default 1."
  }),
  stream_format: maybe(Schema.Literal("audio", "sse")).annotations({
    description: "`sse` for server-sent events with pieces of sound. Default `audio`: its bytes."
  })
}).annotations({
  identifier: "CreateSpeech",
  examples: [{ model: "sandbox-speech", input: "Hello", voice: "alloy", response_format: "wav" }]
})
export type CreateSpeech = typeof CreateSpeech.Type

const speech = HttpApiEndpoint.post("speech", "/v1/audio/speech")
  .setPayload(CreateSpeech)
  .addSuccess(HttpApiSchema.Uint8Array({ contentType: "audio/*" }))
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Speak a text",
      description:
        "Answers with the bytes of the sound as the upstream makes them, in its content type. A failure in the middle cuts the connection.",
      transform: (operation) => {
        const { content } = operation.responses[200]
        // An upstream may name no type.
        content["application/octet-stream"] = content["audio/*"]
        content["text/event-stream"] = eventStream({
          description: "With `stream_format: sse`: pieces of the sound, then its usage.",
          data: "JSON with a `type`: `speech.audio.delta` with `audio` in base64, `speech.audio.done` with `usage`."
        })
        return operation
      }
    })
  )

/** `/v1/audio` (docs/api.md#speech). */
export class AudioApi extends HttpApiGroup.make("audio")
  .add(speech)
  .add(transcribe)
  .add(translate)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/audio"])
  .annotate(BodyLimit, 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Audio", description: "Speech of a text, and texts of sound." })) {}
