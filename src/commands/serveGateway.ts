import { Effect, Layer, Option, Redacted } from "effect"
import { Keys } from "../access/store/Keys.ts"
import { WebhookSecrets } from "../access/WebhookSecrets.ts"
import { Settings } from "../config/Settings.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import { SessionAdministration } from "../people/signIn/SessionAdministration.ts"
import * as Gateway from "../Gateway.ts"
import { Lifecycle } from "../flow/Lifecycle.ts"
import { SharesPort } from "../http/Server.ts"
import { StandardOutput } from "../telemetry/StandardOutput.ts"
import { Workers } from "../telemetry/Workers.ts"
import type { Link } from "../cluster/workers/workerLink.ts"
import { adminServer } from "./ownAddress.ts"
import { consoleLink } from "./consoleLink.ts"
import { ownInvocation } from "./invokedAs.ts"
import { LogsLive } from "./logs.ts"
import { proxyLines, setProxyVariables } from "./proxyVariables.ts"
import { TelemetryLive } from "./telemetry.ts"

/** The account of the first key. */
const defaultAccount = AccountId.make("default")

/** Prints the address and, at the first start, the first key, which cannot be read again. */
const greet = Effect.gen(function* () {
  const { admin, url } = yield* Gateway.Address
  const settings = yield* Settings
  for (const line of settings.warnings) yield* Effect.logWarning(line)
  for (const line of proxyLines(settings)) yield* Effect.logInfo(line)
  for (const line of settings.file.opened ?? []) yield* Effect.logInfo(line)
  if (
    Option.isNone(Option.orElse(settings.redisUrl, () => settings.redisSentinel)) &&
    !Redacted.value(settings.databaseUrl).startsWith("sqlite:")
  ) {
    yield* Effect.logInfo(
      "each process counts limits by itself; set GATEWAY_REDIS_URL to count them in Redis for all processes"
    )
  }
  const keys = yield* Keys
  const { say } = yield* StandardOutput
  const first = Option.isSome(settings.bootstrapKey) ? Option.none() : yield* keys.bootstrap(Option.none())
  const address = url.href.replace(/\/$/, "")
  const adminAddress = withoutSlash(admin.href)
  const apart = `\nFor operators alone: ${adminAddress}  (admin API, metrics, console)`
  say(
    `Model Gateway listens on ${address}  (documentation: ${address}/docs)${Option.isSome(settings.server.admin) ? apart : ""}`
  )
  if (Option.isNone(settings.adminKey)) {
    const { publicUrl } = adminServer(settings.server)
    const base = Option.match(publicUrl, { onNone: () => adminAddress, onSome: withoutSlash })
    yield* Effect.flatMap(SessionAdministration, ({ link }) => link).pipe(
      Effect.map((link) =>
        say(`The console, signed in as the operator (once, within 15 minutes): ${consoleLink(base, link)}`)
      ),
      // It serves already, and goes on: `/readyz` says what the database lacks.
      Effect.catchAllDefect(() =>
        Effect.logWarning("the console's link can't be stored; `gateway sessions link` makes one")
      )
    )
  }
  const command = ownInvocation()
  if (Option.isNone(first)) return say(again(command))
  const key = Redacted.value(first.value)
  const secrets = yield* WebhookSecrets
  const [signing] = yield* secrets.signing(defaultAccount)
  say(`
Your first API key, shown this once:

  ${key}

Callbacks are signed (Standard Webhooks) with

  ${signing === undefined ? "" : Redacted.value(signing)}

Try it:

  curl ${address}/v1/messages -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"model":"sandbox-text","max_tokens":200,"messages":"Hello!"}'

And then:

  ${command} init               asks four questions and writes a gateway.yaml
  ${command} keys create NAME   makes another key, also beside a running gateway
  ${command} help               lists what else there is
`)
})

/** For operators who lost the first key. */
const again = (command: string) => `A new key: ${command} keys create NAME. What else there is: ${command} help.`

/** Runs until it is told to stop; a worker also when others serve in its place. */
const serving = (link: Link | undefined) =>
  Effect.gen(function* () {
    const { leave } = yield* Lifecycle
    if (link === undefined || link.isFirst) yield* greet
    if (link === undefined) return yield* Effect.never
    link.up((yield* Gateway.Address).url)
    yield* Effect.promise(() => link.left)
    leave("replaced")
  })

/** It is for who looks after workers: what sends it to every process of a service would end those that serve. */
const heedless = Effect.sync(() => void process.on("SIGUSR2", () => {}))

/** The gateway of one process, with the settings of the command. */
const gateway = (link: Link | undefined) =>
  Layer.unwrapEffect(
    Effect.map(Settings, (settings) => {
      setProxyVariables(settings)
      return Gateway.layer({ settings: Layer.succeed(Settings, settings) })
    })
  ).pipe(
    // Closed after the gateway: its last spans and log lines leave too.
    Layer.provide(TelemetryLive),
    Layer.provideMerge(LogsLive),
    Layer.provide(Layer.mergeAll(Layer.succeed(SharesPort, link !== undefined), Layer.succeed(Workers, link?.together)))
  )

/** @param link to the supervisor of this process, if it is one of several workers */
export const serveGateway = (link: Link | undefined) =>
  heedless.pipe(
    Effect.zipRight(Effect.provide(serving(link), gateway(link))),
    Effect.scoped,
    // Spans are not collected, and each would cost as much as its SQL statement.
    Effect.withTracerEnabled(false)
  )
