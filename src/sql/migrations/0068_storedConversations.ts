import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Conversations that the gateway keeps for `/v1/conversations`. `held_by` names the response that adds to one, with the
 * node that makes it; a background response has no node, because it outlives one. `last` numbers the items.
 */
export const storedConversations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    metadata TEXT NOT NULL,
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    last BIGINT NOT NULL,
    held_by TEXT,
    held_node TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX conversations_expires_at ON conversations (expires_at)`
  yield* sql`CREATE INDEX conversations_held_node ON conversations (held_node) WHERE held_node IS NOT NULL`
  yield* sql`CREATE TABLE conversation_items (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    item_id TEXT NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (conversation_id, place)
  )`
  yield* sql`CREATE UNIQUE INDEX conversation_items_item_id ON conversation_items (conversation_id, item_id)`
})
