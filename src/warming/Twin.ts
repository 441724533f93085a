import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import type { Scope } from "effect"
import { MasterSecret } from "../access/MasterSecret.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { Settings } from "../config/Settings.ts"
import type { GatewaySettings } from "../config/Settings.ts"
import { Documents } from "../documents/Documents.ts"
import { FileSources } from "../files/FileSources.ts"
import { KeptFiles } from "../files/KeptFiles.ts"
import { GatewayCore } from "../Gateway.ts"
import type { StartFailure } from "../Gateway.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { Listening } from "../http/Server.ts"
import { OwnModels } from "../models/OwnModels.ts"
import * as Database from "../sql/Database.ts"
import { AccessLog } from "../telemetry/AccessLog.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import { cannedUpstream } from "./cannedUpstream.ts"
import { basePaths } from "./dialects.ts"
import type { Dialect } from "./dialects.ts"

/** A gateway beside the one that serves. */
export interface Twin {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: Redacted.Redacted
  /** Each behind an upstream of another dialect. */
  readonly models: ReadonlyArray<string>
}

const newSecret = () => Redacted.make(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"))

/** A model for each dialect, named as it, and a key of an account that has money and limits. */
const documentOf = (dialects: ReadonlyArray<Dialect>, origin: string, key: Redacted.Redacted) =>
  JSON.stringify({
    upstreams: Object.fromEntries(
      dialects.map((protocol) => [
        protocol,
        { protocol, base_url: `${origin}${basePaths[protocol]}`, api_key: "canned" }
      ])
    ),
    models: Object.fromEntries(
      dialects.map((upstream) => [upstream, { routes: [{ upstream }], price: { input: 1, output: 1 } }])
    ),
    keys: [
      {
        name: "twin",
        secret: Redacted.value(key),
        balance_usd: 1_000,
        limits: { requests_per_minute: 1_000_000, tokens_per_minute: 1_000_000_000 }
      }
    ]
  })

/** As the other's, but for all that could be seen from outside. */
const settingsOf = (
  settings: GatewaySettings,
  file: GatewaySettings["file"]
): Context.Tag.Service<typeof Settings> => ({
  ...settings,
  server: {
    ...settings.server,
    host: "127.0.0.1",
    port: 0,
    publicUrl: Option.none(),
    drainDeadline: Duration.zero,
    leaveTime: Duration.zero,
    workers: 1,
    warmUp: false,
    corsOrigins: [],
    trustedProxies: [],
    metrics: false,
    tls: Option.none()
  },
  databaseUrl: Redacted.make("sqlite::memory:"),
  bootstrapKey: Option.none(),
  adminKey: Option.none(),
  redisUrl: Option.none(),
  secret: Option.some(newSecret()),
  webhookSecret: Option.none(),
  allowAddresses: [],
  custody: Option.none(),
  warnings: [],
  file,
  filePath: Option.none(),
  isStored: false,
  reread: Effect.succeed(file)
})

/** What it stands on is in memory. What it has no use for is not there: it dies when it is used. */
const standing = (settings: Context.Tag.Service<typeof Settings>) =>
  Layer.mergeAll(
    Layer.succeed(Settings, settings),
    AccessLog.Off,
    Database.layer({ url: Redacted.value(settings.databaseUrl), exclusive: false }),
    MasterSecret.layer({ given: settings.secret, directory: "" }),
    PublicUrl.layer(Option.none()),
    TextUpstreams.layer(),
    VideoUpstreams.layer(),
    Layer.succeed(OwnModels, []),
    FileSources.Test(),
    KeptFiles.Test({}),
    AddressGuard.Test({}),
    Documents.Test({})
  )

/**
 * Starts a gateway like the one with these settings, which nobody knows of: in memory, with an upstream of its own for
 * each of the dialects, a key that is told to nobody else, and no log. It is gone when the scope closes.
 */
export const startTwin = (
  settings: GatewaySettings,
  dialects: ReadonlyArray<Dialect>
): Effect.Effect<Twin, StartFailure | Database.DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const key = newSecret()
    const origin = yield* cannedUpstream
    const file = yield* settings.readText("the twin", documentOf(dialects, origin, key))
    const built = yield* Layer.build(Layer.provide(GatewayCore, standing(settingsOf(settings, file))))
    return { url: Context.get(built, Listening).url.origin, key, models: dialects }
  })
