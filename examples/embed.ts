/*
 * A gateway in a program of one's own, whose text models answer with what they were told. Clients ask for
 * `sandbox-text` at any of the text endpoints; keys, limits, money, streams and everything else are the gateway's.
 *
 *   GATEWAY_PORT=8080 GATEWAY_BOOTSTRAP_KEY=<24 characters or more> bun examples/embed.ts
 */
import {
  AccessLog,
  BunRuntime,
  Console,
  Effect,
  GatewayCore,
  Keys,
  lastUserText,
  Layer,
  Listening,
  Option,
  PlatformLive,
  Redacted,
  SandboxLive,
  Settings,
  Stream,
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

/** What is given first wins: the sandbox renders videos and has its model names, but answers no text. */
const gateway = GatewayCore.pipe(
  Layer.provide(TextUpstreams.layer(echo)),
  Layer.provide(SandboxLive),
  Layer.provide(PlatformLive)
)

const settings = Settings.from({ ...process.env, GATEWAY_DATABASE_URL: "sqlite::memory:" })

const started = Effect.gen(function* () {
  const { bootstrapKey } = yield* Settings
  const keys = yield* Keys
  const first = yield* keys.bootstrap(bootstrapKey)
  const { url } = yield* Listening
  yield* Console.log(`The embedded gateway listens on ${url.href}`)
  if (Option.isSome(first)) yield* Console.log(`Its first API key: ${Redacted.value(first.value)}`)
})

BunRuntime.runMain(
  Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(gateway), Layer.provide([settings, AccessLog.Off])))
)
