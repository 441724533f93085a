import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Tokens that have a price of their own: of sound, images and film, and writes that are kept for half a day. */
export const usageKinds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const column of columns) {
    yield* sql.unsafe(`ALTER TABLE usage ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0`)
  }
})

const columns = [
  "cache_write_12h_tokens",
  "audio_input_tokens",
  "audio_read_tokens",
  "audio_output_tokens",
  "image_input_tokens",
  "image_read_tokens",
  "image_output_tokens",
  "video_input_tokens",
  "video_read_tokens"
]
