import type { Mutant } from "./Mutant.ts"

const attacks = ["test/people/attacks.test.ts"]
const programs = ["test/people/programs/programs.test.ts"]
const signingIn = ["test/people/signIn/signingIn.test.ts"]
const throttle = ["test/guard/throttle.test.ts"]

/** What strangers may try, and how often. */
export const tryMutants: ReadonlyArray<Mutant> = [
  {
    name: "tries: secrets may be guessed at any rate",
    file: "src/guard/throttle.ts",
    snippet: "- free) * stepMs",
    replacement: "- free) * 0",
    tests: throttle
  },
  {
    name: "tries: only wrong secrets wait, which tells them by the time",
    file: "src/guard/throttle.ts",
    snippet:
      "turn(from),\n          Effect.tapError(look, (failure) => (isWrong(failure) ? Effect.sync(() => note(from)) : Effect.void))",
    replacement:
      "Effect.void,\n          Effect.tapError(look, () => Effect.zipRight(Effect.sync(() => note(from)), turn(from)))",
    tests: throttle
  },
  {
    name: "tries: admin keys may be guessed at any rate",
    file: "src/admin/AdminAccess.ts",
    snippet: "return secrets.checked(countedAs(incoming), look, isAny)",
    replacement: "return countedAs(incoming) === null ? wrong : look",
    tests: ["test/e2e/adminKeys.test.ts"]
  },
  {
    name: "tries: the console's keys may be guessed at any rate",
    file: "src/people/signIn/OwnSession.ts",
    snippet: '_tag === "AuthInvalid"',
    replacement: '_tag === "Unavailable"',
    tests: signingIn
  },
  {
    name: "tries: another site's page signs out by a token that it has",
    file: "src/console/signInPages.ts",
    snippet: "if (isForeign(request.headers, yield* entry.url)) return yield* foreign",
    replacement: "",
    tests: attacks
  },
  {
    name: "tries: logout tokens may be guessed at any rate",
    file: "src/console/signInPages.ts",
    snippet: '_tag === "SignInRefused"',
    replacement: '_tag === "ProviderFailed"',
    tests: attacks
  },
  {
    name: "tries: codes may be guessed at any rate",
    file: "src/people/programs/WaitingPrograms.ts",
    snippet: "failure instanceof NotFound && failure.param === null",
    replacement: "failure instanceof NotFound && failure.param !== null",
    tests: programs
  }
]
