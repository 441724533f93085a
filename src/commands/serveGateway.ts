import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Keys } from "../access/Keys.ts"
import { WebhookSecrets } from "../access/WebhookSecrets.ts"
import { Settings } from "../config/Settings.ts"
import { AccountId } from "../contract/Caller.ts"
import { GatewayLive } from "../Gateway.ts"
import { Listening } from "../http/Server.ts"
import { AccessLog } from "../telemetry/AccessLog.ts"

/** Who owns the first key. */
const defaultAccount = AccountId.make("default")

/** Says where the gateway is and, at the first start, which key opens it: once, for nobody can read it again. */
const greet = Effect.gen(function* () {
  const { url } = yield* Listening
  const settings = yield* Settings
  const keys = yield* Keys
  const first = yield* keys.bootstrap(settings.bootstrapKey)
  const address = url.href.replace(/\/$/, "")
  yield* Console.log(`Model Gateway listens on ${address}  (documentation: ${address}/docs)`)
  if (Option.isNone(first)) return
  const key = Redacted.value(first.value)
  const secrets = yield* WebhookSecrets
  const [signing] = yield* secrets.signing(defaultAccount)
  yield* Console.log(`
Your first API key, shown this once:

  ${key}

Callbacks are signed (Standard Webhooks) with

  ${signing === undefined ? "" : Redacted.value(signing)}

Try it:

  curl ${address}/v1/messages -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"model":"sandbox-text","max_tokens":200,"messages":"Hello!"}'
`)
})

/** Runs until it is told to stop. */
export const serveGateway = Effect.zipRight(greet, Effect.never).pipe(
  Effect.provide(GatewayLive.pipe(Layer.provideMerge(Layer.mergeAll(Settings.from(process.env), AccessLog.Stdout)))),
  Effect.scoped,
  // Nobody collects spans here, and each SQL statement would make one that costs as much as the statement.
  Effect.withTracerEnabled(false)
)
