import type { Mutant } from "./Mutant.ts"

const login = ["test/commands/login/login.test.ts"]
const token = ["test/commands/login/token.test.ts"]
const server = "src/commands/login/AuthorizationServer.ts"
const fresh = "src/commands/login/freshToken.ts"
const store = "src/commands/login/storedSignIns.ts"

/** The command line's own sign-in, and opencode's. */
export const loginMutants: ReadonlyArray<Mutant> = [
  {
    name: "login: each of several processes refreshes the tokens",
    file: "src/commands/login/alone.ts",
    snippet: `    database.run("BEGIN EXCLUSIVE")\n`,
    replacement: "",
    tests: token
  },
  {
    name: "login: a signal loses the refresh token that is under way",
    file: fresh,
    snippet: "Effect.flatMap(Effect.forkDaemon(restore(work)), Fiber.join)",
    replacement: "restore(work)",
    tests: token
  },
  {
    name: "login: tokens of an ended sign-in stay",
    file: fresh,
    snippet: "Effect.zipRight(storeSignIn(address, undefined), NotSignedIn.ended(address))",
    replacement: "NotSignedIn.ended(address)",
    tests: token
  },
  {
    name: "login: one gateway's tokens replace another's",
    file: store,
    snippet: "signIn === undefined ? others : { ...others, [address]: signIn }",
    replacement: "signIn === undefined ? {} : { [address]: signIn }",
    tests: token
  },
  {
    name: "login: tokens go to another host that discovery names",
    file: server,
    snippet: "URL.parse(endpoint)?.origin !== origin",
    replacement: "URL.parse(endpoint) === null",
    tests: login
  },
  {
    name: "login: tokens follow a redirect",
    file: server,
    snippet: `redirect: "manual"`,
    replacement: `redirect: "follow"`,
    tests: login
  },
  {
    name: "login: tokens go over plain http",
    file: "src/commands/login/gatewayAddress.ts",
    snippet: `url.protocol === "http:" && !isLoopback(url.href)`,
    replacement: "false",
    tests: login
  }
]
