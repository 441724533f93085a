import { Schema } from "effect"
import { answerField, JsonObject } from "../contract/fields.ts"

const time = (description: string) => answerField(Schema.NullOr(Schema.String), description)

const ToolText = Schema.Struct({
  description: answerField(Schema.NullOr(Schema.String), "Its description; null if it has none."),
  input_schema: answerField(JsonObject, "The JSON Schema of its arguments.")
})

const ToolRecord = Schema.Struct({
  name: answerField(Schema.String, "The server's name for it."),
  description: answerField(
    Schema.NullOr(Schema.String),
    "The server's text for models, cut at 4096 characters; null if it has none."
  ),
  input_schema: answerField(JsonObject, "The JSON Schema of its arguments."),
  read_only: answerField(Schema.Boolean, "True if the server calls it read-only, which may be wrong."),
  changed: Schema.optionalWith(
    Schema.Struct({
      at: answerField(Schema.String, "When the change was seen (ISO 8601, UTC)."),
      before: answerField(ToolText, "What it said before.")
    }),
    { exact: true }
  ).annotations({ description: "Present for a week if its description or schema has changed." })
})

/** A registered MCP server as the answering process sees it. */
export const ToolServerRecord = Schema.Struct({
  object: Schema.Literal("tool_server"),
  name: answerField(Schema.String, "Its name in `mcp.servers`."),
  description: answerField(Schema.NullOr(Schema.String), "Its description in the configuration; null if it has none."),
  url: answerField(
    Schema.NullOr(Schema.String),
    "Its address, without what could be a secret; null for the built-in server, and for roles of some accounts."
  ),
  auth: answerField(
    Schema.Literal("none", "key", "caller", "person"),
    "Whose account it sees: `auth` of the configuration."
  ),
  trusted: answerField(Schema.Boolean, "True if what it says of its tools is believed."),
  state: answerField(
    Schema.Literal("unknown", "answering", "failing"),
    "Whether it gave its last list; `unknown` before the first."
  ),
  since: time("Since when (ISO 8601, UTC); null before the first list."),
  era: answerField(
    Schema.NullOr(Schema.Literal("modern", "legacy")),
    "The form of the protocol that it speaks: `modern` since revision 2026-07-28; null if it is not known."
  ),
  listed_at: time("When it gave the tools below (ISO 8601, UTC); null before the first list."),
  tools: answerField(
    Schema.NullOr(Schema.Array(ToolRecord)),
    "Those that are offered, for roles of some accounts those that their keys may use; null before the first list, and with `auth: caller` or `person`, where each may see others."
  ),
  warnings: answerField(Schema.Array(Schema.String), "Why tools of the last list were left out."),
  use: answerField(
    Schema.NullOr(
      Schema.Struct({
        calls: answerField(Schema.Int, "Calls of its tools."),
        errors: answerField(Schema.Int, "Those that failed or got no answer."),
        duration_ms: answerField(
          Schema.NullOr(
            Schema.Struct({
              p50: answerField(Schema.Int, "Half of them took less."),
              p95: answerField(Schema.Int, "95 of 100 took less.")
            })
          ),
          "How long they took; null if none was sent."
        )
      })
    ),
    "The last 24 hours, of all accounts and processes; null for roles of some accounts. Percentiles use at most 20000 calls."
  ),
  last_failure: answerField(
    Schema.NullOr(
      Schema.Struct({
        time: answerField(Schema.String, "When (ISO 8601, UTC)."),
        message: answerField(Schema.String, "The error, in the gateway's words.")
      })
    ),
    "The last list or call that it did not answer; null for roles of some accounts."
  )
}).annotations({ identifier: "ToolServer" })
export type ToolServerRecord = typeof ToolServerRecord.Type
