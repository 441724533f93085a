import { Command } from "@effect/cli"
import { Console, Duration, Effect, Option, Redacted } from "effect"
import { logger } from "./administer.ts"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"
import { alone } from "./login/alone.ts"
import { authorizationServer } from "./login/AuthorizationServer.ts"
import { failsIfStopped } from "./login/failsIfStopped.ts"
import { readSignIns, storeSignIn } from "./login/storedSignIns.ts"
import type { StoredSignIn } from "./login/storedSignIns.ts"
import { addressArgument, gatewayOfSignIn } from "./login/whichGateway.ts"

const patience = Duration.seconds(10)

const logout = Command.make(
  "logout",
  { address: addressArgument("GATEWAY_URL, otherwise the only one that is signed in to") },
  ({ address }) =>
    Effect.flatMap(gatewayOfSignIn(address), (address) => alone(Duration.seconds(60))(signedOut(address))).pipe(
      Effect.flatMap((words) => Console.error(words)),
      failsIfStopped,
      Effect.provide(logger)
    )
).pipe(
  Command.withDescription(
    help(
      "End a sign-in of `gateway login`: its tokens are revoked at the gateway and removed here.",
      "gateway logout https://gateway.example.com"
    )
  )
)

export const logoutCommand = leaf(logout)

/** Removes the tokens in any case. Returns what to tell. */
const signedOut = (address: string) =>
  Effect.gen(function* () {
    const { [address]: stored } = yield* readSignIns
    if (stored === undefined) return `Not signed in to ${address}.`
    const problem = yield* Effect.flip(revoked(address, stored)).pipe(Effect.option)
    yield* storeSignIn(address, undefined)
    return Option.match(problem, {
      onNone: () => `Signed out of ${address}.`,
      onSome: ({ message }) =>
        `The tokens are removed here, but not revoked at the gateway, where they are good until they expire: ${message}`
    })
  })

const revoked = (address: string, { access_token, refresh_token }: StoredSignIn) =>
  Effect.gen(function* () {
    const server = yield* authorizationServer(address, patience)
    yield* server.revoke({ token: Redacted.value(access_token) })
    if (refresh_token === null) return
    yield* server.revoke({ token: Redacted.value(refresh_token), token_type_hint: "refresh_token" })
  })
