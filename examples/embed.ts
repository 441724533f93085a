/*
 * A gateway in a program of one's own, whose text model repeats the user's text. Clients call `sandbox-text` at any text
 * endpoint; keys, limits, money and streams are the gateway's.
 *
 *   GATEWAY_PORT=8080 GATEWAY_BOOTSTRAP_KEY=<24 characters or more> bun examples/embed.ts
 */
import { Console, Effect, Layer, Option, Redacted, Stream } from "effect"
import {
  AccessLog,
  BunRuntime,
  Gateway,
  Keys,
  lastUserText,
  Settings,
  streamUpstream,
  TextUpstreams
} from "model-gateway"
import type { GenerationEvent } from "model-gateway"

/** In the sandbox's place: an upstream of the same name. */
const echo = streamUpstream("sandbox", (conversation) =>
  Stream.fromIterable<GenerationEvent>([
    { type: "text-delta", text: "embedded: " },
    { type: "text-delta", text: lastUserText(conversation) },
    { type: "finished", reason: "stop", stopSequence: null }
  ])
)

const settings = Settings.from({ ...process.env, GATEWAY_DATABASE_URL: "sqlite::memory:" })

/** The sandbox renders videos and has its model names, but answers no text. */
const gateway = Gateway.layer({ settings, accessLog: AccessLog.Off, textUpstreams: TextUpstreams.layer(echo) })

const started = Effect.gen(function* () {
  const { bootstrapKey } = yield* Settings
  const keys = yield* Keys
  const first = yield* keys.bootstrap(bootstrapKey)
  const { url } = yield* Gateway.Address
  yield* Console.log(`The embedded gateway listens on ${url.href}`)
  if (Option.isSome(first)) yield* Console.log(`Its first API key: ${Redacted.value(first.value)}`)
})

BunRuntime.runMain(Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(gateway), Layer.provide(settings))))
