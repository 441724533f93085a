import type { Mutant } from "./Mutant.ts"

const attacks = ["test/people/attacks.test.ts"]
const flows = ["test/people/signIn.test.ts"]

/** Signing in by a provider, and what ends it. */
export const signInMutants: ReadonlyArray<Mutant> = [
  {
    name: "sign-in: the signature of an ID token is not looked at",
    file: "src/people/Providers.ts",
    snippet: "client.enableNonRepudiationChecks,",
    replacement: "",
    tests: attacks
  },
  {
    name: "sign-in: a state counts twice",
    file: "src/people/SignIns.ts",
    snippet: "return yield* doneBefore",
    replacement: "yield* Effect.void",
    tests: attacks
  },
  {
    name: "sign-in: a logout token counts twice",
    file: "src/people/LogoutTokens.ts",
    snippet: "if (!(yield* taken.take(`logout ${issuer} ${payload.jti}`, untilMs))) return yield* wrong",
    replacement: "void untilMs",
    tests: attacks
  },
  {
    name: "sign-in: an ID token signs out",
    file: "src/people/LogoutTokens.ts",
    snippet: '&& payload["nonce"] === undefined',
    replacement: "",
    tests: attacks
  },
  {
    name: "sign-in: it ends at any path",
    file: "src/console/consolePath.ts",
    snippet: "|| !isPage(entry, at.pathname)",
    replacement: "",
    tests: ["test/access/sealed.test.ts"]
  },
  {
    name: "sign-in: an address counts that nothing has verified",
    file: "src/people/Claims.ts",
    snippet: 'mailed?.["email_verified"] === true',
    replacement: "mailed !== undefined",
    tests: ["test/people/roleOf.test.ts"]
  },
  {
    name: "sign-in: a removed person stays",
    file: "src/people/signIn/PeopleChecks.ts",
    snippet: "return isTokenOver(answer.left)",
    replacement: 'return answer.left.refusal === ""',
    tests: flows
  },
  {
    name: "sign-in: a token that Dex has revoked counts on",
    file: "src/people/Providers.ts",
    snippet: '|| (refusal === "invalid_request" && status === 400)',
    replacement: "|| status === undefined",
    tests: ["test/people/providers.test.ts"]
  },
  {
    name: "sign-in: an auditor's keys work on",
    file: "src/people/roleOf.ts",
    snippet: 'roles[role].reach.changesOwn === "none" ? [] : accounts',
    replacement: 'roles[role].reach.models === "none" ? [] : accounts',
    tests: ["test/people/hostileProvider.test.ts"]
  },
  {
    name: "sign-in: a person acts as any key",
    file: "src/people/signIn/SessionAuthenticators.ts",
    snippet: 'own._tag === "Left"',
    replacement: "false",
    tests: flows
  },
  {
    name: "sign-in: people work on for as long as their provider is away",
    file: "src/people/actingOfPerson.ts",
    snippet: "failing_since + outageMs <= nowMs",
    replacement: "nowMs < 0",
    tests: flows
  }
]
