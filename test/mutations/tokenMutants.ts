import type { Mutant } from "./Mutant.ts"

const attacks = ["test/people/tokenAttacks.test.ts"]
const flows = ["test/people/tokens.test.ts"]
const times = ["test/people/issuedTokens.test.ts"]
const access = ["test/access/access.test.ts"]
const live = "src/people/IssuedTokensLive.ts"
const rules = "src/people/TokenRules.ts"
const issuer = "src/people/IssuerKeys.ts"

/** An issuer's tokens as API keys. */
export const tokenMutants: ReadonlyArray<Mutant> = [
  {
    name: "tokens: any algorithm counts",
    file: live,
    snippet: "algorithms: [...algorithms],",
    replacement: "",
    tests: times
  },
  {
    name: "tokens: algorithms count that the issuer does not publish",
    file: issuer,
    snippet: "algorithms.filter((one) => named.includes(one))",
    replacement: "algorithms",
    tests: times
  },
  {
    name: "tokens: those for others open an account",
    file: live,
    snippet: "audience: rule.audience,",
    replacement: "",
    tests: attacks
  },
  {
    name: "tokens: one may never end",
    file: live,
    snippet: 'requiredClaims: ["exp"],',
    replacement: "",
    tests: attacks
  },
  {
    name: "tokens: an ID token opens an account",
    file: rules,
    snippet: "if (nonce !== undefined)",
    replacement: "if (nonce === null)",
    tests: attacks
  },
  {
    name: "tokens: one that signs out opens an account",
    file: rules,
    snippet: "events !== undefined ||",
    replacement: "",
    tests: attacks
  },
  {
    name: "tokens: any kind opens an account",
    file: rules,
    snippet: "!types.test(typ)",
    replacement: "false",
    tests: attacks
  },
  {
    name: "tokens: one that was stolen from a client needs no proof",
    file: rules,
    snippet: "return cnf === undefined",
    replacement: "return cnf !== null",
    tests: attacks
  },
  {
    name: "tokens: the metadata of another issuer counts",
    file: issuer,
    snippet: "if (itself !== issuer)",
    replacement: "if (itself === undefined)",
    tests: times
  },
  {
    name: "tokens: keys are fetched where others read along",
    file: issuer,
    snippet: "!(isLoopback(issuer) && isLoopback(url))",
    replacement: "false",
    tests: times
  },
  {
    name: "tokens: the keys of an issuer that is away count for ever",
    file: issuer,
    snippet: "last !== undefined && last.atMs + outageMs() > nowMs",
    replacement: "last !== undefined",
    tests: times
  },
  {
    name: "tokens: a claim without an account opens one",
    file: rules,
    snippet: 'first === "refuse" && accounts.size === 0',
    replacement: "false",
    tests: flows
  },
  {
    name: "tokens: of several accounts any is opened",
    file: rules,
    snippet: "if (second !== undefined) {",
    replacement: "if (second === null) {",
    tests: flows
  },
  {
    name: "tokens: what every object has is an account",
    file: rules,
    snippet: "known.get(value)",
    replacement: "values[value]",
    tests: flows
  },
  {
    name: "tokens: a subject has one key in all accounts",
    file: "src/access/store/IssuedKeys.ts",
    snippet: "JSON.stringify([issuer, claim, subject, account])",
    replacement: "JSON.stringify([issuer, claim, subject])",
    tests: flows
  },
  {
    name: "tokens: one that was used opens a session",
    file: "src/access/Access.ts",
    snippet: "byIssuer === undefined && !isToken ? hash : byToken(hash)",
    replacement: "hash",
    tests: access
  },
  {
    name: "tokens: one is verified once for ever",
    file: "src/access/Access.ts",
    snippet: "Math.min(expiresAtMs, verifiedUntilMs)",
    replacement: "expiresAtMs",
    tests: access
  },
  {
    name: "tokens: one is remembered beyond its end",
    file: live,
    snippet: "Math.min((payload.exp ?? 0) * 1_000, nowMs + verifiedMs)",
    replacement: "nowMs + verifiedMs",
    tests: times
  }
]
