import { Command, Options } from "@effect/cli"
import { Clock, Console, Duration, Effect, Redacted } from "effect"
import { visible } from "../contract/text/visible.ts"
import { logger } from "./administer.ts"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"
import { alone } from "./login/alone.ts"
import { approval } from "./login/approval.ts"
import { authorizationServer } from "./login/AuthorizationServer.ts"
import { failsIfStopped } from "./login/failsIfStopped.ts"
import { signInOf } from "./login/signInOf.ts"
import { readSignIns, signInsFile, storeSignIn } from "./login/storedSignIns.ts"
import { addressArgument, gatewayNamed } from "./login/whichGateway.ts"

const patience = Duration.seconds(30)

const key = Options.boolean("key").pipe(
  Options.withDescription("Print an API key instead, and store nothing: for programs that keep one key.")
)

const login = Command.make("login", { address: addressArgument("GATEWAY_URL"), key }, ({ address: given, key }) =>
  Effect.gen(function* () {
    const address = yield* gatewayNamed(given)
    // A broken file fails the command before the browser is used.
    if (!key) yield* readSignIns
    const server = yield* authorizationServer(address, patience)
    const answer = yield* approval(server, { surface: "gateway_cli", ...(key ? { issues: "key" } : {}) })
    const person = answer.email === undefined ? "" : ` as ${visible(answer.email)}`
    if (key) {
      yield* Console.error(`Signed in to ${address}${person}. The key is stored nowhere here.`)
      return yield* Console.log(Redacted.value(answer.access_token))
    }
    const signIn = signInOf(answer, yield* Clock.currentTimeMillis)
    yield* alone(patience)(storeSignIn(address, signIn))
    yield* Console.error(`Signed in to ${address}${person}; the tokens are in ${signInsFile()}.`)
    yield* Console.error("`gateway token` prints one for programs, `gateway logout` ends the sign-in.")
  }).pipe(failsIfStopped, Effect.provide(logger))
).pipe(
  Command.withDescription(
    help(
      "Sign in to a gateway with the company's account, in a browser on any device. Its tokens open models (/v1) alone: admin commands need GATEWAY_ADMIN_KEY.",
      "gateway login https://gateway.example.com",
      "gateway login --key https://gateway.example.com"
    )
  )
)

export const loginCommand = leaf(login)
