import { Schema } from "effect"
import { said } from "../contract/fields.ts"

const count = (what: string) => said(Schema.Int, what)

/** What a deleted account left, and is no longer there. */
export const AccountDeleted = Schema.Struct({
  object: Schema.Literal("account.deleted"),
  id: said(Schema.String, "The account's id, unique."),
  removed: said(
    Schema.Struct({
      responses: count("Kept responses."),
      tasks: count("Tasks with their callbacks."),
      files: count("Copies of videos, removed within the hour."),
      requests: count("Request rows."),
      kept_answers: count("Answers kept for their `Idempotency-Key`."),
      idempotency_claims: count("Keys of requests under way."),
      thread_turns: count("Turns of conversations."),
      reasoning_seals: count("Signatures of tool calls by upstreams."),
      upstream_ids: count("Ids of what upstreams keep; what they keep is theirs to remove."),
      sessions: count("Of the console."),
      request_bodies: count("Bodies that were recorded.")
    }),
    "How much was removed."
  )
}).annotations({ identifier: "AccountDeleted" })
export type AccountDeleted = typeof AccountDeleted.Type
