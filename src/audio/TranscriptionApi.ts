import { HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Flag } from "../contract/bodies/formFields.ts"
import { FileField } from "../contract/bodies/UploadedFile.ts"
import { eventStream } from "../contract/bodies/eventStream.ts"
import { Form, Idempotent } from "../contract/annotations.ts"
import { answerField, JsonObject, maybe, required } from "../contract/fields.ts"

const mebi = 1024 * 1024
const mostBytes = 25 * mebi

/** OpenAI's bound of a file, with its fields beside it. */
const bounds = { parts: 64, fieldBytes: mebi, fileBytes: mostBytes, bytes: mostBytes + 2 * mebi, seconds: 300 }

const text = (description: string) => maybe(Schema.String).annotations({ description })

const common = {
  file: required(FileField, "The sound: at most 25 MiB of a format that the model reads. Required."),
  model: required(Schema.NonEmptyString, "Id of a transcription model; `GET /v1/models` lists them. Required."),
  prompt: text("Words that guide the model."),
  response_format: text("`json`, `text`, `srt`, `vtt`, `verbose_json`, `diarized_json` or another of the model."),
  temperature: maybe(Schema.Union(Schema.String, Schema.Number)).annotations({ description: "The sampling." })
}

/** The form of POST /v1/audio/transcriptions (docs/api.md#transcriptions). */
const CreateTranscription = Schema.Struct({
  ...common,
  language: text("The language of the sound, in ISO 639-1."),
  stream: maybe(Flag).annotations({
    description: "True for server-sent events, where the model has them."
  })
}).annotations({ identifier: "CreateTranscription" })
export type CreateTranscription = typeof CreateTranscription.Type

const CreateTranslation = Schema.Struct(common).annotations({ identifier: "CreateTranslation" })

const Transcript = Schema.Struct({
  text: answerField(Schema.String, "The words."),
  usage: Schema.optionalWith(answerField(JsonObject, "Tokens or seconds, if the upstream reports them."), {
    exact: true
  })
}).annotations({ identifier: "Transcript" })

/** An answer of a `response_format` that is no JSON. */
const texts = { schema: { type: "string", description: "Such as `text`, `srt` and `vtt`." } }

export const transcribe = HttpApiEndpoint.post("transcribe", "/v1/audio/transcriptions")
  .setPayload(CreateTranscription)
  .addSuccess(Transcript)
  .annotate(Idempotent, true)
  .annotate(Form, bounds)
  .annotateContext(
    OpenApi.annotations({
      summary: "Transcribe sound",
      description: "A form with the file. The answer is JSON, or the text of its `response_format`.",
      transform: (operation) => {
        operation.responses[200].content["text/*"] = texts
        operation.responses[200].content["text/event-stream"] = eventStream({
          description: "With `stream`: pieces of the text, then all of it with the usage.",
          data: "JSON with a `type`: `transcript.text.delta`, `transcript.text.segment`, `transcript.text.done`."
        })
        return operation
      }
    })
  )

export const translate = HttpApiEndpoint.post("translate", "/v1/audio/translations")
  .setPayload(CreateTranslation)
  .addSuccess(Transcript)
  .annotate(Idempotent, true)
  .annotate(Form, bounds)
  .annotateContext(
    OpenApi.annotations({
      summary: "Translate sound into English",
      description: "As transcriptions, without streams.",
      transform: (operation) => {
        operation.responses[200].content["text/*"] = texts
        return operation
      }
    })
  )
