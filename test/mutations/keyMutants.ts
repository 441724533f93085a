import type { Mutant } from "./Mutant.ts"

const access = ["test/access/access.test.ts"]
const guard = ["test/guard/guard.test.ts"]
const idempotency = ["test/idempotency/idempotency.test.ts", "test/idempotency/streams.test.ts"]
const secrets = ["test/callbacks/secrets.test.ts"]

/** Keys, secrets, other people's ids, and addresses that callers give. */
export const keyMutants: ReadonlyArray<Mutant> = [
  {
    name: "access: a revoked key opens its account",
    file: "src/access/Access.ts",
    snippet: "if (revoked) return Effect.fail(isToken ? signedOut : revokedKey)",
    replacement: "",
    tests: access
  },
  {
    name: "access: an expired key opens its account",
    file: "src/access/Access.ts",
    snippet: "if (expiresAtMs <= clock.unsafeCurrentTimeMillis()) return Effect.fail(isToken ? signedOut : expiredKey)",
    replacement: "",
    tests: access
  },
  {
    name: "access: a remembered key never expires",
    file: "src/access/Access.ts",
    snippet: "if (hit !== undefined && hit.expiresAtMs > nowMs) {",
    replacement: "if (hit !== undefined) {",
    tests: access
  },
  {
    name: "access: what was remembered before a change is believed after it",
    file: "src/access/Access.ts",
    snippet: "yield* changes.listen(Effect.sync(() => known.clear()))",
    replacement: "",
    tests: access
  },
  {
    name: "access: the secret itself is stored, as its hint",
    file: "src/access/store/Keys.ts",
    snippet: "...hintColumns(key.hashed?.hint ?? ApiKey.hint(Redacted.value(secret))),",
    replacement: "hint: Redacted.value(secret),",
    tests: access
  },
  {
    name: "access: the file of the master secret can be read by others",
    file: "src/access/MasterSecret.ts",
    snippet: "mode: 0o600",
    replacement: "mode: 0o644",
    tests: secrets
  },
  {
    name: "access: a short master secret will do",
    file: "src/access/MasterSecret.ts",
    snippet: "return length >= shortest",
    replacement: "return length >= 0",
    tests: secrets
  },
  {
    name: "access: a rotated webhook secret stops signing at once",
    file: "src/access/WebhookSecrets.ts",
    snippet: "const young = row.rotated_at !== null && nowMs <",
    replacement: "const young = row.rotated_at !== null && nowMs < 0 *",
    tests: secrets
  },
  {
    name: "guard: one public answer of a name is enough",
    file: "src/guard/AddressGuard.ts",
    snippet: "(addresses) => addresses.every(isAllowed),",
    replacement: "(addresses) => addresses.some(isAllowed),",
    tests: guard
  },
  {
    name: "guard: a cloud's metadata address is called",
    file: "src/guard/addresses.ts",
    snippet: "return !metadata.includes(address.toString())",
    replacement: "return metadata.length > 0",
    tests: guard
  },
  {
    name: "guard: the name is resolved again when it is dialled",
    file: "src/guard/dial.ts",
    snippet: "if (options.all === true) answer(null, addresses.map(withFamily))",
    replacement: 'if (options.all === true) answer(null, [...addresses, "127.0.0.1"].reverse().map(withFamily))',
    tests: guard
  },
  {
    name: "idempotency: a key in flight is shared by all accounts",
    file: "src/idempotency/Idempotency.ts",
    snippet: "const name = JSON.stringify([ask.account, ask.endpoint, ask.key])",
    replacement: "const name = JSON.stringify([ask.endpoint, ask.key])",
    tests: idempotency
  },
  {
    name: "idempotency: a key in flight is every endpoint's",
    file: "src/idempotency/Idempotency.ts",
    snippet: "const name = JSON.stringify([ask.account, ask.endpoint, ask.key])",
    replacement: "const name = JSON.stringify([ask.account, ask.key])",
    tests: idempotency
  },
  {
    name: "idempotency: another body shares an answer in flight",
    file: "src/idempotency/Idempotency.ts",
    snippet: "if (running.bodyHash !== ask.bodyHash) return Effect.fail(otherBody)",
    replacement: "",
    tests: idempotency
  },
  {
    name: "idempotency: a kept answer is shared by all accounts",
    file: "src/idempotency/store/KeptAnswers.ts",
    snippet: "WHERE account_id = ${ask.account} AND endpoint = ${ask.endpoint}",
    replacement: "WHERE endpoint = ${ask.endpoint}",
    tests: idempotency
  },
  {
    name: "idempotency: another body reads a kept answer",
    file: "src/idempotency/store/KeptAnswers.ts",
    snippet: "if (row.body_hash !== ask.bodyHash) return yield* otherBody",
    replacement: "",
    tests: idempotency
  },
  {
    name: "idempotency: an answer is kept for ever",
    file: "src/idempotency/store/KeptAnswers.ts",
    snippet: "AND at > ${sinceMs}`",
    replacement: "AND at > ${sinceMs - sinceMs - 1}`",
    tests: idempotency
  },
  {
    name: "responses: an id opens another account's response",
    file: "src/responses/store/ResponseStore.ts",
    snippet: "FROM responses WHERE id = ${id} AND ${reached(holder, now)}`.pipe(",
    replacement: "FROM responses WHERE id = ${id} AND expires_at > ${now}`.pipe(",
    tests: ["test/responses/store.test.ts"]
  },
  {
    name: "videos: a draft that the upstream keeps belongs to any account that names it",
    file: "src/videos/promote.ts",
    snippet: "const known = yield* ownership.check(holder, upstream.name, [{ id, param }])",
    replacement: "const known = { unclaimed: [id], keys: [] }",
    tests: ["test/videos/videoTasks.test.ts", "test/videos/drafts.test.ts"]
  },
  {
    name: "videos: a draft that was named first has no owner",
    file: "src/videos/promote.ts",
    snippet:
      "const claim = Effect.promise(() => ownership.give({ account }, upstream.name, known.unclaimed, upstream.key))",
    replacement: "const claim = Effect.void",
    tests: ["test/videos/videoTasks.test.ts", "test/videos/drafts.test.ts"]
  },
  {
    name: "tasks: what a draft was made of is let go",
    file: "src/tasks/releasesRequest.ts",
    snippet: "return (isOver || isThere) && !isKept",
    replacement: "return isOver || isThere",
    tests: ["test/videos/videoTasks.test.ts", "test/videos/drafts.test.ts"]
  }
]
