import type { Mutant } from "./Mutant.ts"

const attacks = ["test/people/attacks.test.ts"]
const beginning = ["test/people/beginning.test.ts"]
const programs = ["test/oauth/programs.test.ts"]
const signingIn = ["test/console/signingIn.test.ts"]
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
    name: "tries: an address waits for ever longer",
    file: "src/guard/throttle.ts",
    snippet: "Math.min(longestMs, ",
    replacement: "Math.min(Infinity, ",
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
    name: "tries: a database that does not answer counts as a wrong key",
    file: "src/guard/throttle.ts",
    snippet: "(isWrong(failure) ?",
    replacement: "(isWrong !== undefined ?",
    tests: throttle
  },
  {
    name: "tries: one address fills the room of all",
    file: "src/guard/throttle.ts",
    snippet: "here >= mostWaiting || ",
    replacement: "",
    tests: throttle
  },
  {
    name: "tries: many addresses have any number wait",
    file: "src/guard/throttle.ts",
    snippet: " || waitingOfAll >= room",
    replacement: "",
    tests: throttle
  },
  {
    name: "tries: who has waited keeps the place",
    file: "src/guard/throttle.ts",
    snippet:
      "Effect.ensuring(\n              Effect.sleep(ms),\n              Effect.sync(() => leave(from))\n            )",
    replacement: "Effect.sleep(ms)",
    tests: throttle
  },
  {
    name: "tries: ever new addresses take ever more room",
    file: "src/guard/throttle.ts",
    snippet: "counts.size < capacity || counts.has(from) ?",
    replacement: "counts.size >= 0 ?",
    tests: throttle
  },
  {
    name: "tries: colleagues behind one address wait for each other",
    file: "src/guard/tries.ts",
    snippet: "free: 300, mostWaiting: 64",
    replacement: "free: 10, mostWaiting: 64",
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
    file: "src/console/Handlers.ts",
    snippet: '_tag === "AuthInvalid"',
    replacement: '_tag === "Unavailable"',
    tests: signingIn
  },
  {
    name: "tries: right keys may sign in at any rate",
    file: "src/console/Handlers.ts",
    snippet: "yield* tries.begun.each(address)",
    replacement: "",
    tests: signingIn
  },
  {
    name: "tries: another site's image begins a sign-in",
    file: "src/console/signInPages.ts",
    snippet: "if (isEmbedded(request.headers)) return yield* embedded",
    replacement: "",
    tests: beginning
  },
  {
    name: "tries: another site's page slows down who sits at the browser",
    file: "src/guard/tries.ts",
    snippet: "isLedHere(incoming.request.headers) ? `${from(incoming)}, led` : from(incoming)",
    replacement: "isLedHere(incoming.request.headers) ? from(incoming) : from(incoming)",
    tests: throttle
  },
  {
    name: "tries: another site's page signs out by a token that it has",
    file: "src/console/signInPages.ts",
    snippet: "if (isForeign(request.headers, yield* publicUrl.get)) return yield* foreign",
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
    name: "tries: programs may ask for codes at any rate",
    file: "src/oauth/pages.ts",
    snippet: "yield* tries.programs.each(address)",
    replacement: "",
    tests: programs
  },
  {
    name: "tries: another site's page asks for codes",
    file: "src/oauth/pages.ts",
    snippet: "if (isForeign(request.headers, yield* publicUrl.get)) return yield* foreign",
    replacement: "",
    tests: programs
  },
  {
    name: "tries: a person's wrong codes slow down the others",
    file: "src/oauth/Handlers.ts",
    snippet: "tries.codes.checked(person, ",
    replacement: 'tries.codes.checked("all", ',
    tests: programs
  },
  {
    name: "tries: codes may be guessed at any rate",
    file: "src/oauth/Handlers.ts",
    snippet: "failure instanceof NotFound && failure.param === null",
    replacement: "failure instanceof NotFound && failure.param !== null",
    tests: programs
  }
]
