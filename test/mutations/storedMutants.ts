import type { Mutant } from "./Mutant.ts"

/** Stored chat completions: whose they are, and what is stored of which answer. */
export const storedMutants: ReadonlyArray<Mutant> = [
  {
    name: "chat: a stored completion is that of all people of its account",
    file: "src/chat/store/StoredCompletions.ts",
    snippet: "...ofKeys(sql, person?.keys), sql`expires_at > ${nowMs}`",
    replacement: "...ofKeys(sql, undefined), sql`expires_at > ${nowMs}`",
    tests: ["test/people/belongings.test.ts"]
  },
  {
    name: "chat: a stored completion is read when it has expired",
    file: "src/chat/store/StoredCompletions.ts",
    snippet: "sql`expires_at > ${nowMs}`",
    replacement: "sql`expires_at <> ${nowMs + 0.5}`",
    tests: ["test/chat/stored/store.test.ts"]
  },
  {
    name: "chat: a filter reads the first rows alone",
    file: "src/chat/store/StoredCompletions.ts",
    snippet: "if (hasMore || some.length < slice) break",
    replacement: "if (hasMore || some.length <= slice) break",
    tests: ["test/chat/stored/store.test.ts"]
  },
  {
    name: "chat: a stored completion has its upstream's id",
    file: "src/chat/passthrough.ts",
    snippet: "...(kept && { id }), ",
    replacement: "",
    tests: ["test/chat/stored/passed.test.ts"]
  },
  {
    name: "chat: an upstream stores what the gateway stores",
    file: "src/chat/passthrough.ts",
    snippet: "{ ...sent, store: undefined, metadata: undefined }",
    replacement: "{ ...sent }",
    tests: ["test/chat/stored/passed.test.ts"]
  },
  {
    name: "upstreams: an answer that is stored has the chunks with a name alone",
    file: "src/upstreams/passthrough/chunks.ts",
    snippet: " || this.#gathered !== undefined) return",
    replacement: ") return",
    tests: ["test/chat/stored/passed.test.ts"]
  },
  {
    name: "responses: metadata has no bounds",
    file: "src/responses/CreateResponse.ts",
    snippet: "metadata: maybe(Metadata)",
    replacement: "metadata: maybe(Schema.Record({ key: Schema.String, value: Schema.String }))",
    tests: ["test/responses/rules.test.ts"]
  }
]
