import { Command } from "@effect/cli"
import { Console, Effect, Redacted } from "effect"
import { logger } from "./administer.ts"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"
import { failsIfStopped } from "./login/failsIfStopped.ts"
import { freshToken } from "./login/freshToken.ts"
import { addressArgument, gatewayOfSignIn } from "./login/whichGateway.ts"

const token = Command.make(
  "token",
  { address: addressArgument("GATEWAY_URL, otherwise the only one that is signed in to") },
  ({ address }) =>
    Effect.flatMap(gatewayOfSignIn(address), freshToken).pipe(
      Effect.flatMap((token) => Console.log(Redacted.value(token))),
      failsIfStopped,
      Effect.provide(logger)
    )
).pipe(
  Command.withDescription(
    help(
      "Print an access token of `gateway login`, and nothing else. It is good for five minutes at least, unless the gateway is away. It opens models (/v1) alone, no admin commands.",
      "gateway token https://gateway.example.com",
      'curl -H "Authorization: Bearer $(gateway token)" $GATEWAY_URL/v1/models'
    )
  )
)

export const tokenCommand = leaf(token)
