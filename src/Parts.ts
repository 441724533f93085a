import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { Access } from "./access/Access.ts"
import { MasterSecret } from "./access/MasterSecret.ts"
import { CallbackTransport } from "./callbacks/CallbackTransport.ts"
import { OwnModels } from "./catalogue/OwnModels.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { Settings } from "./config/Settings.ts"
import { Documents } from "./documents/Documents.ts"
import { FileSources } from "./files/FileSources.ts"
import { FileStore } from "./files/FileStore.ts"
import { KeptFiles } from "./files/KeptFiles.ts"
import { AllowedAddresses, CallerProxy, parseAllowed } from "./guard/addresses.ts"
import { AddressGuard } from "./guard/AddressGuard.ts"
import { Resolver } from "./guard/Resolver.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Ledger } from "./ledger/Ledger.ts"
import { Limits } from "./limits/Limits.ts"
import { markOf, OwnMark } from "./mcp/OwnMark.ts"
import { sandboxModels, SandboxTextUpstreams } from "./sandbox/SandboxText.ts"
import { Clips } from "./sandbox/video/Clips.ts"
import { sandboxVideoModel, SandboxVideoUpstreams } from "./sandbox/video/SandboxVideo.ts"
import { Search } from "./search/Search.ts"
import * as Database from "./sql/Database.ts"
import { TaskStore } from "./tasks/TaskStore.ts"
import { sourceBy } from "./upstreams/auth/sourceBy.ts"
import { KeyNames } from "./upstreams/keys/KeyNames.ts"
import { AccessLog } from "./telemetry/AccessLog.ts"
import { Logging } from "./telemetry/Logging.ts"

const DatabaseLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ databaseUrl, pool }) =>
    Database.layer({ url: Redacted.value(databaseUrl), exclusive: true, pool })
  )
)

const GuardLive = AddressGuard.Default.pipe(
  Layer.provide(
    Layer.effect(
      AllowedAddresses,
      Effect.flatMap(Settings, ({ allowAddresses }) => parseAllowed(allowAddresses, "GATEWAY_ALLOW_ADDRESSES"))
    )
  ),
  Layer.provide(
    Layer.effect(
      CallerProxy,
      Effect.map(Settings, ({ callerProxyOf }) => callerProxyOf)
    )
  ),
  Layer.provide(Resolver.Default)
)

const SecretLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ dataDirectory, secret }) => MasterSecret.layer({ given: secret, directory: dataDirectory }))
)

const PublicUrlLive = Layer.unwrapEffect(Effect.map(Settings, ({ server }) => PublicUrl.layer(server.publicUrl)))

const FileStoreLive = Layer.unwrapEffect(
  Effect.flatMap(Settings, ({ dataDirectory, files, proxyOf }) =>
    Effect.map(sourceBy(proxyOf), (source) => FileStore.layer(files, dataDirectory, source))
  )
)

/** How the settings want lines written. */
export const LoggingLive = Layer.effect(
  Logging,
  Effect.map(Settings, ({ log }): Logging => ({
    format: log.format ?? (process.stdout.isTTY ? "text" : "json"),
    level: log.level
  }))
)

/** The shipped default of each part. */
export const shipped = {
  /** Authenticates callers: the gateway's API keys. */
  access: Access.Default,
  /** Requests and tokens a minute, requests at a time: counted here, or in Redis for all nodes. */
  limits: Limits.Default,
  /** Holds, charges and balances: in the database. */
  ledger: Ledger.Default,
  /** Answers kept for `Idempotency-Key`: in the database. */
  idempotency: Idempotency.Default,
  /** Tasks: in the database. */
  taskStore: TaskStore.Default,
  /** Posts callbacks: to the address that `addressGuard` has checked. */
  callbackTransport: CallbackTransport.Default,
  /** Text upstreams beside the configured ones: the sandbox. */
  textUpstreams: SandboxTextUpstreams,
  /** Video upstreams beside the configured ones: the sandbox. */
  videoUpstreams: SandboxVideoUpstreams,
  /** Models beside the configured ones: the sandbox's. */
  models: OwnModels.layer(...sandboxModels, sandboxVideoModel),
  /** Web search for upstreams without one: the provider of `gateway.yaml`. */
  search: Search.Default,
  /** Rendered and fetched files: the folder or bucket of the settings. */
  files: FileStoreLive,
  /** Reads PDFs: in processes of their own. */
  documents: Documents.Default,
  /** Addresses of callers that may be called: public ones, and those that the settings allow. */
  addressGuard: GuardLive,
  /** The secret from which others are derived: `GATEWAY_SECRET`, or a file of the data directory. */
  secret: SecretLive,
  /** The beginning of links to files: `server.public_url`, or the address of the server. */
  publicUrl: PublicUrlLive,
  /** Settings: the environment and `gateway.yaml`. */
  settings: Settings.from(process.env),
  /** The log of requests: standard output. */
  accessLog: AccessLog.Stdout.pipe(Layer.provide(LoggingLive)),
  /** SQLite or Postgres, as the settings say, with its schema up to date. */
  database: DatabaseLive
}

type Shipped = typeof shipped

/** A layer of the same service, with the errors and needs of the shipped one or fewer. */
type Part<L> =
  L extends Layer.Layer<infer Service, infer Failure, infer Needs> ? Layer.Layer<Service, Failure, Needs> : never

/** The parts of a gateway, each with its shipped default. */
export type Parts = { readonly [Name in keyof Shipped]: Part<Shipped[Name]> }

/** How long links to files work. With custody, videos are kept as long as its copies. */
const filesLifetime = ({ custody, retention }: (typeof Settings)["Service"]) =>
  Option.getOrElse(custody, () => retention.files)

/** Files fetched from upstreams. */
export const KeptFilesLive = Layer.unwrapEffect(
  Effect.map(Effect.all([Settings, MasterSecret]), ([settings, { derive }]) =>
    KeptFiles.layer({
      directory: settings.dataDirectory,
      lifetime: filesLifetime(settings),
      room: settings.room,
      secret: derive("files/kept")
    })
  )
)

/** Names of upstreams' keys. */
export const KeyNamesLive = Layer.unwrapEffect(
  Effect.map(MasterSecret, ({ derive }) => KeyNames.layer(derive("upstreams/keys")))
)

/** The gateway's name in requests to servers. */
export const OwnMarkLive = Layer.effect(
  OwnMark,
  Effect.map(MasterSecret, ({ derive }) => markOf(derive("mcp/via")))
)

/** Files that the sandbox renders. */
const ClipsLive = Layer.unwrapEffect(
  Effect.map(Settings, (settings) => Clips.layer(join(settings.dataDirectory, "videos"), filesLifetime(settings)))
)

/** The files behind the gateway's links. */
export const FilesLive = Layer.effect(FileSources, Effect.all([Clips, KeptFiles])).pipe(
  Layer.provideMerge(Layer.merge(ClipsLive, KeptFilesLive))
)
