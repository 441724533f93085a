import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import type { FileRecord } from "./FileRecord.ts"

export const OpenAIFile = Schema.Struct({
  id: answerField(Schema.String, "The id that requests use."),
  object: Schema.Literal("file"),
  bytes: answerField(Schema.Int, "The file's length."),
  created_at: answerField(Schema.Int, "Unix seconds."),
  expires_at: answerField(Schema.NullOr(Schema.Int), "Unix seconds; null if it stays until it is deleted."),
  filename: answerField(Schema.String, "The file's name, without a path."),
  purpose: answerField(Schema.String, "As sent."),
  status: Schema.Literal("processed"),
  status_details: answerField(Schema.Null, "Always null.")
}).annotations({ identifier: "OpenAIFile" })

export const AnthropicFile = Schema.Struct({
  id: answerField(Schema.String, "The id that requests use."),
  type: Schema.Literal("file"),
  filename: answerField(Schema.String, "The file's name, without a path."),
  mime_type: answerField(Schema.String, "The type that the file's bytes show."),
  size_bytes: answerField(Schema.Int, "The file's length."),
  created_at: answerField(Schema.String, "RFC 3339."),
  expires_at: answerField(Schema.NullOr(Schema.String), "RFC 3339; null if it stays until it is deleted."),
  downloadable: answerField(Schema.Literal(true), "Always true."),
  scope: answerField(Schema.Null, "Always null: no file is a session's.")
}).annotations({
  identifier: "AnthropicFile",
  description: "For requests with `anthropic-version` or `x-api-key`."
})

const seconds = (ms: number): number => Math.floor(ms / 1_000)

export const openAIFile = (file: FileRecord): typeof OpenAIFile.Type => ({
  id: file.id,
  object: "file",
  bytes: file.bytes,
  created_at: seconds(file.createdAtMs),
  expires_at: file.expiresAtMs === null ? null : seconds(file.expiresAtMs),
  filename: file.name,
  purpose: file.purpose,
  status: "processed",
  status_details: null
})

export const anthropicFile = (file: FileRecord): typeof AnthropicFile.Type => ({
  id: file.id,
  type: "file",
  filename: file.name,
  mime_type: file.mediaType,
  size_bytes: file.bytes,
  created_at: new Date(file.createdAtMs).toISOString(),
  expires_at: file.expiresAtMs === null ? null : new Date(file.expiresAtMs).toISOString(),
  downloadable: true,
  scope: null
})
