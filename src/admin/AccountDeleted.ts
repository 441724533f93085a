import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"

const count = (what: string) => answerField(Schema.Int, what)

/** The number of rows and files removed with an account. */
export const AccountDeleted = Schema.Struct({
  object: Schema.Literal("account.deleted"),
  id: answerField(Schema.String, "The account's id, unique."),
  removed: answerField(
    Schema.Struct({
      responses: count("Kept responses."),
      // Absent in answers of an older gateway to the command line.
      conversations: Schema.optional(count("Kept conversations.")),
      chat_completions: Schema.optional(count("Kept chat completions.")),
      batches: Schema.optional(count("Batches with their lines, removed within minutes.")),
      tasks: count("Tasks with their callbacks."),
      files: count("Copies of videos, removed within the hour."),
      requests: count("Request rows."),
      task_calls: Schema.optional(count("Calls of tasks to upstreams.")),
      tool_calls: Schema.optional(count("Calls of tools of MCP servers.")),
      kept_answers: count("Stored answers of requests with an `Idempotency-Key`."),
      idempotency_claims: count("Keys of requests under way."),
      tool_rounds: Schema.optional(count("Rounds of answers with calls of tools that had not ended.")),
      thread_turns: count("Turns of conversations."),
      reasoning_seals: count("Upstreams' signatures of tool calls."),
      upstream_ids: count("Ids of things stored at upstreams, which are not deleted there."),
      sessions: count("Sessions of the console."),
      request_bodies: count("Recorded bodies.")
    }),
    "How much was removed."
  )
}).annotations({ identifier: "AccountDeleted" })
export type AccountDeleted = typeof AccountDeleted.Type
