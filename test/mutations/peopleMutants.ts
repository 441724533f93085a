import type { Mutant } from "./Mutant.ts"

const reach = ["test/people/reach.test.ts"]
const members = ["test/people/members.test.ts"]
const belongings = ["test/people/belongings.test.ts"]

/** Roles and admin keys. */
export const peopleMutants: ReadonlyArray<Mutant> = [
  {
    name: "people: a member sees what others of the account do",
    file: "src/admin/Owned.ts",
    snippet: ": Effect.map(keys.ofPerson(person, account), (own) => ({ account, keys: own }))",
    replacement: ": Effect.succeed({ account })",
    tests: members
  },
  {
    name: "people: a person's key lists what others of the account did",
    file: "src/contract/callers/Own.ts",
    snippet: "person === undefined ? { account } : { account, keys: person.keys }",
    replacement: "person === undefined ? { account } : { account }",
    tests: members
  },
  {
    name: "people: a person's key opens another's task",
    file: "src/contract/callers/Caller.ts",
    snippet: "person === undefined || person.keys.includes(key)",
    replacement: 'person === undefined || key !== ""',
    tests: members
  },
  {
    name: "people: idempotency keys are the account's",
    file: "src/http/once.ts",
    snippet: "key: ownName(caller, key),",
    replacement: "key,",
    tests: members
  },
  {
    name: "people: a person's key reads others' stored responses",
    file: "src/responses/store/ResponseStore.ts",
    snippet: "sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys), sql`expires_at > ${nowMs}`])",
    replacement: "sql.and([sql`account_id = ${account}`, sql`expires_at > ${nowMs}`])",
    tests: belongings
  },
  {
    name: "people: a person's key continues others' threads",
    file: "src/messages/threads/store/TurnStore.ts",
    snippet: "WHERE ${sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys)])}",
    replacement: "WHERE account_id = ${account}",
    tests: belongings
  },
  {
    name: "people: a person's key hears that another continues a thread",
    file: "src/messages/threads/Threads.ts",
    snippet: "return Effect.zipRight(find(caller, previousId), continueInFlight(previousId))",
    replacement: "return continueInFlight(previousId)",
    tests: belongings
  },
  {
    name: "people: a person's key uses others' containers and files",
    file: "src/ownership/Ownership.ts",
    snippet: "(owner.maker === null || reachesKey(holder, owner.maker))",
    replacement: "true",
    tests: belongings
  },
  {
    name: "people: an upstream's file is the person's who named it first",
    file: "src/dispatch/ownershipCheck.ts",
    snippet: "isMade ? { account, key: caller.key } : { account }",
    replacement: "{ account, key: caller.key }",
    tests: belongings
  },
  {
    name: "people: reasoning is sent for others' calls",
    file: "src/ownership/store/ReasoningSignatures.ts",
    snippet: "[ownName(holder, id), id]",
    replacement: "[id, id]",
    tests: belongings
  },
  {
    name: "people: an operator acts as a person's key",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: "key.person_id === null ? hasSecret(key) : key.person_id === acting.person",
    replacement: "key.person_id !== undefined",
    tests: ["test/people/signIn.test.ts"]
  },
  {
    name: "people: an operator acts as the subject of a token",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: "key.person_id === null ? hasSecret(key)",
    replacement: "key.person_id === null ? key.id !== undefined",
    tests: ["test/people/signIn.test.ts"]
  },
  {
    name: "people: a stream goes on with the role that opened it",
    file: "src/http/answerRequest.ts",
    snippet: "onSuccess: (now) => reachesSame(now.within, caller.within)",
    replacement: "onSuccess: () => true",
    tests: ["test/people/signIn.test.ts"]
  },
  {
    name: "people: a role reaches every operation",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: 'if (within === "none") return outOfReach(acting)',
    replacement: 'if (within === "none") return Effect.succeed(Caller.unrestricted("", acting.via))',
    tests: reach
  },
  {
    name: "people: an auditor of some accounts reads all",
    file: "src/contract/callers/roles.ts",
    snippet: 'reach === "all" && row.accounts === "optional" && accounts !== "all" ? ofSomeAccounts[kind] : reach',
    replacement: "reach",
    tests: reach
  },
  {
    name: "people: any role reaches an operation without a kind",
    file: "src/people/signIn/reach.ts",
    snippet: 'isOperation(operation) ? kindOf[operation] : "operates"',
    replacement: 'isOperation(operation) ? kindOf[operation] : "models"',
    tests: ["test/contract/callers/roles.test.ts"]
  },
  {
    name: "people: a role that needs accounts has all without them",
    file: "src/contract/callers/roles.ts",
    snippet: 'accounts ?? (row.accounts === "optional" ? "all" : [])',
    replacement: 'accounts ?? "all"',
    tests: ["test/contract/callers/roles.test.ts"]
  },
  {
    name: "people: a manager acts in any account that a request names",
    file: "src/admin/Owned.ts",
    snippet: "if (!reachesAccount(accounts, account)) return Effect.fail(noAccount(account))",
    replacement: "",
    tests: reach
  },
  {
    name: "people: another account's key is shown",
    file: "src/admin/Owned.ts",
    snippet: "reachesAccount(within.accounts, row.account_id) &&",
    replacement: "",
    tests: reach
  },
  {
    name: "people: another account's task is shown",
    file: "src/admin/Owned.ts",
    snippet: "if (!reachesAccount(within.accounts, account)) return notFound",
    replacement: "",
    tests: reach
  },
  {
    name: "people: the header names any account",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: "if (within !== undefined && account !== undefined && !reachesAccount(within.accounts, account)) {",
    replacement: 'if (within !== undefined && account === "") {',
    tests: reach
  },
  {
    name: "people: an admin key outlives its time",
    file: "src/access/AdminKeys.ts",
    snippet: "key.expiresAtMs > clock.unsafeCurrentTimeMillis()",
    replacement: "key.expiresAtMs > 0",
    tests: reach
  },
  {
    name: "people: a member lifts what a manager has set on their key",
    file: "src/admin/ReachedKeys.ts",
    snippet: "caller.within?.person === undefined",
    replacement: "caller.within?.person !== null",
    tests: ["test/people/ownKeys.test.ts"]
  }
]
