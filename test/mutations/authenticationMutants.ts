import type { Mutant } from "./Mutant.ts"

const clientAddress = ["test/guard/clientAddress.test.ts"]
const dial = ["test/guard/dial.test.ts"]
const idempotency = ["test/idempotency/idempotency.test.ts", "test/idempotency/streams.test.ts"]
const sessions = ["test/people/signIn/sessions.test.ts", "test/people/signIn/signingIn.test.ts"]
const access = ["test/access/access.test.ts"]
const secrets = ["test/callbacks/secrets.test.ts"]
const responses = ["test/responses/store.test.ts"]

/** Who gets in, what is dialled, and whose answers are whose: beside `keyMutants`. */
export const authenticationMutants: ReadonlyArray<Mutant> = [
  {
    name: "guard: a caller names its own address",
    file: "src/guard/clientAddress.ts",
    snippet: "while (hops.length > 0 && isTrusted(address, trusted)) {",
    replacement: "while (hops.length > 0) {",
    tests: clientAddress
  },
  {
    name: "guard: any certificate will do",
    file: "src/guard/dial.ts",
    snippet: "rejectUnauthorized: true",
    replacement: "rejectUnauthorized: false",
    tests: dial
  },
  {
    name: "guard: the proxy of the environment is asked",
    file: "src/guard/dial.ts",
    snippet: "agent: false,",
    replacement: "",
    tests: dial
  },
  {
    name: "access: what was read before a change is remembered after it",
    file: "src/access/Access.ts",
    snippet: "if (asked === changes.seen()) {",
    replacement: "{",
    tests: access
  },
  {
    name: "access: keys are told apart by the beginning of their hash",
    file: "src/access/ApiKey.ts",
    snippet: 'Bun.SHA256.hash(secret, "hex")',
    replacement: 'Bun.SHA256.hash(secret, "hex").slice(0, 2)',
    tests: access
  },
  {
    name: "access: accounts share a webhook secret",
    file: "src/access/WebhookSecrets.ts",
    snippet: "`webhook/${account}/${version}`",
    replacement: "`webhook/${version}`",
    tests: secrets
  },
  {
    name: "access: a rotated webhook secret signs for ever",
    file: "src/access/WebhookSecrets.ts",
    snippet: "row.rotated_at + Duration.toMillis(grace)",
    replacement: "row.rotated_at + Infinity",
    tests: secrets
  },
  {
    name: "admin: its key may be an API key",
    file: "src/access/AdminKeys.ts",
    snippet: "if (Option.isSome(yield* apiKeys.open(ApiKey.hash(secret)))) {",
    replacement: "if (Option.isSome(yield* apiKeys.open(ApiKey.hash(`no ${secret}`)))) {",
    tests: ["test/e2e/admin.test.ts", "test/e2e/adminKeys.test.ts"]
  },
  {
    name: "console: a change needs no token",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: 'headers.get("x-gateway-csrf") !== csrfOf(token)',
    replacement: 'headers.get("x-gateway-csrf") === "never"',
    tests: sessions
  },
  {
    name: "console: a cookie that a neighbouring host has planted counts",
    file: "src/people/signIn/token.ts",
    snippet: "return onlyIn(cookie, nameOf(place), wellFormed)",
    replacement: "return onlyIn(cookie, nameOf({ ...place, isSecure: false }), wellFormed)",
    tests: sessions
  },
  {
    name: "console: another site's page may ask in the name of a session",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: "if (isForeign(headers, yield* entry.url)) return yield* foreign",
    replacement: "yield* entry.url",
    tests: sessions
  },
  {
    name: "console: an account's session opens the admin API",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: 'if (session.kind !== "operator") return yield* notOperator',
    replacement: 'if (session.kind === "link") return yield* notOperator',
    tests: sessions
  },
  {
    name: "console: a link opens more than once",
    file: "src/people/signIn/store/SessionStore.ts",
    snippet: "DELETE FROM sessions WHERE hash = ${hash} AND kind = 'link' AND expires_at > ${nowMs} RETURNING id",
    replacement: "SELECT id FROM sessions WHERE hash = ${hash} AND kind = 'link' AND expires_at > ${nowMs}",
    tests: sessions
  },
  {
    name: "console: the session before goes on after a new sign-in",
    file: "src/people/signIn/OwnSession.ts",
    snippet: "if (before !== undefined) yield* sessions.end(before.session)",
    replacement: "void before",
    tests: sessions
  },
  {
    name: "feed: an account hears of others' requests",
    file: "src/feed/events.ts",
    snippet: "const rows = requests.filter(isOwn)",
    replacement: "const rows = requests",
    tests: ["test/feed/events.test.ts"]
  },
  {
    name: "feed: a stream goes on without what opened it",
    file: "src/feed/Feed.ts",
    snippet: "if (!(yield* watcher.stillOpens)) watcher.end()",
    replacement: "if (!(yield* watcher.stillOpens)) void watcher",
    tests: ["test/feed/events.test.ts"]
  },
  {
    name: "admin: a stale change is written",
    file: "src/admin/version.ts",
    snippet: "known === undefined || known === record.version",
    replacement: "known === undefined || known > 0",
    tests: ["test/console/stale.test.ts"]
  },
  {
    name: "idempotency: a stream that failed is kept",
    file: "src/idempotency/Idempotency.ts",
    snippet: 'bytes === undefined || ending() === "failed" || ending() === "hang-up"',
    replacement: "bytes === undefined",
    tests: idempotency
  },
  {
    name: "idempotency: a second answer takes the place of the first",
    file: "src/idempotency/store/KeptAnswers.ts",
    snippet: "WHERE kept_answers.at <= ${at - lifetimeMs} RETURNING id`",
    replacement: "WHERE kept_answers.at <= ${at + lifetimeMs} RETURNING id`",
    tests: idempotency
  },
  {
    name: "idempotency: a node that was buried keeps its answer",
    file: "src/idempotency/store/KeptAnswers.ts",
    snippet: "if (spent.length === 0) return yield* justAnswered",
    replacement: "if (spent.length < 0) return yield* justAnswered",
    tests: ["test/idempotency/nodes.test.ts"]
  },
  {
    name: "idempotency: two nodes answer one key",
    file: "src/idempotency/store/ClaimStore.ts",
    snippet: "(claimed) => claimed.length > 0",
    replacement: "() => true",
    tests: ["test/idempotency/nodes.test.ts"]
  },
  {
    name: "responses: another account's response can be continued",
    file: "src/responses/store/ResponseStore.ts",
    snippet: "FROM responses WHERE id = ${id} AND ${reached(holder, now)}\n            UNION",
    replacement: "FROM responses WHERE id = ${id} AND expires_at > ${now}\n            UNION",
    tests: responses
  },
  {
    name: "responses: another account's items can be referred to",
    file: "src/responses/store/makeResolve.ts",
    snippet: ")) AND ${reached(holder, now)}`",
    replacement: ")) AND expires_at > ${now}`",
    tests: responses
  },
  {
    name: "messages: another account's thread can be continued",
    file: "src/messages/threads/store/TurnStore.ts",
    snippet: "WHERE ${sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys)])}",
    replacement: "WHERE ${sql.and([sql`1 = 1`, ...ofKeys(sql, person?.keys)])}",
    tests: ["test/messages/threads/store.test.ts"]
  }
]
