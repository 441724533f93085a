import type { Mutant } from "./Mutant.ts"

const flows = ["test/people/programs/programs.test.ts"]
const wire = ["test/console/agents/claudeCode.test.ts"]

/** Programs that sign in for people, and their tokens. */
export const programMutants: ReadonlyArray<Mutant> = [
  {
    name: "programs: a copied refresh token begins a line of its own",
    file: "src/people/programs/store/PersonTokens.ts",
    snippet: 'const refresh = ApiKey.succeedingToken("refresh", token, secret)',
    replacement: 'const refresh = ApiKey.generateToken("refresh")',
    tests: flows
  },
  {
    name: "programs: anyone can compute the next refresh token",
    file: "src/access/ApiKey.ts",
    snippet: 'createHmac("sha256", secret)',
    replacement: 'createHmac("sha256", "")',
    tests: ["test/access/succeedingToken.test.ts"]
  },
  {
    name: "programs: a device code works before it is approved",
    file: "src/people/programs/AgentSignIns.ts",
    snippet: 'if (grant.state === "waiting") {',
    replacement: "if (false) {",
    tests: flows
  },
  {
    name: "programs: an account that the person does not reach pays",
    file: "src/people/programs/ProgramTokens.ts",
    snippet: "(within === undefined || reachesAccount(within.accounts, account))",
    replacement: "(within === undefined || reachesAccount([...within.accounts, account], account))",
    tests: flows
  },
  {
    name: "programs: a device code works twice",
    file: "src/people/programs/AgentSignIns.ts",
    snippet: "if (!(yield* grants.take(hash))) return yield* expired",
    replacement: "",
    tests: flows
  },
  {
    name: "programs: a copied refresh token goes on",
    file: "src/people/programs/ProgramTokens.ts",
    snippet: "yield* end(stored.sign_in)\n          return yield* over",
    replacement: "return yield* over",
    tests: flows
  },
  {
    name: "programs: an access token refreshes",
    file: "src/people/programs/ProgramTokens.ts",
    snippet: 'if (stored?.kind !== "refresh") return yield* over',
    replacement: "if (stored === undefined) return yield* over",
    tests: flows
  },
  {
    name: "programs: an access token outlives its hour",
    file: "src/access/store/KeyRow.ts",
    snippet: "Math.min(opening.expiresAtMs ?? Infinity, token.token_expires_at)",
    replacement: "opening.expiresAtMs ?? token.token_expires_at + 1e9",
    tests: flows
  },
  {
    name: "programs: the decision needs no proof of the page",
    file: "src/people/signIn/personOf.ts",
    snippet: "yield* actingIn(request)",
    replacement: 'yield* actingIn({ headers: request.headers, method: "GET" })',
    tests: flows
  },
  {
    name: "programs: their key gets a secret",
    file: "src/admin/KeyAdministration.ts",
    snippet: "({ row }) => hasSecret(row)",
    replacement: "() => true",
    tests: flows
  },
  {
    name: "programs: a refusal tells how much of a budget is used",
    file: "src/http/finish.ts",
    snippet: 'if (name.startsWith("anthropic-ratelimit-unified-")) delete reply.headers[name]',
    replacement: "void name",
    tests: wire
  }
]
