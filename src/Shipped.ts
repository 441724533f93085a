import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { MasterSecret } from "./access/MasterSecret.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { Settings } from "./config/Settings.ts"
import { Documents } from "./documents/Documents.ts"
import { FileSources } from "./files/FileSources.ts"
import { FileStore } from "./files/FileStore.ts"
import { KeptFiles } from "./files/KeptFiles.ts"
import { AllowedAddresses, parseAllowed } from "./guard/addresses.ts"
import { AddressGuard } from "./guard/AddressGuard.ts"
import { Resolver } from "./guard/Resolver.ts"
import { OwnModels } from "./catalogue/OwnModels.ts"
import { sandboxModels, SandboxTextUpstreams } from "./sandbox/SandboxText.ts"
import { Clips } from "./sandbox/video/Clips.ts"
import { sandboxVideoModel, SandboxVideoUpstreams } from "./sandbox/video/SandboxVideo.ts"
import * as Database from "./sql/Database.ts"

/** The database that the settings name, which no second server may open meanwhile. */
export const DatabaseLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ databaseUrl, pool }) =>
    Database.layer({ url: Redacted.value(databaseUrl), exclusive: true, pool })
  )
)

/** Which callers' addresses may be called: public ones, and those that the settings open. */
export const GuardLive = AddressGuard.Default.pipe(
  Layer.provide(
    Layer.effect(
      AllowedAddresses,
      Effect.flatMap(Settings, ({ allowAddresses }) => parseAllowed(allowAddresses, "GATEWAY_ALLOW_ADDRESSES"))
    )
  ),
  Layer.provide(Resolver.Default)
)

/** `GATEWAY_SECRET`, or the secret that the data directory keeps. */
export const SecretLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ dataDirectory, secret }) => MasterSecret.layer({ given: secret, directory: dataDirectory }))
)

/** Where the settings say that clients reach the gateway, else where it listens. */
export const PublicUrlLive = Layer.unwrapEffect(Effect.map(Settings, ({ server }) => PublicUrl.layer(server.publicUrl)))

/** Where the settings say that files live. */
const FileStoreLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ dataDirectory, files }) => FileStore.layer(files, dataDirectory))
)

/** How long links to the gateway's own files work: with custody, videos that it has anyhow are kept as long as copies. */
const filesLifetime = ({ custody, retention }: (typeof Settings)["Service"]) =>
  Option.getOrElse(custody, () => retention.files)

/** What upstreams made and only the gateway can fetch. */
export const KeptFilesLive = Layer.unwrapEffect(
  Effect.map(Effect.all([Settings, MasterSecret]), ([settings, { derive }]) =>
    KeptFiles.layer({
      directory: settings.dataDirectory,
      lifetime: filesLifetime(settings),
      room: settings.room,
      secret: derive("files/kept")
    })
  )
).pipe(Layer.provide(SecretLive), Layer.provide(FileStoreLive))

/** What a gateway stands on, as its settings have it. */
export const PlatformLive = Layer.mergeAll(
  DatabaseLive,
  GuardLive,
  SecretLive,
  PublicUrlLive,
  KeptFilesLive,
  Documents.Default
)

const ClipsLive = Layer.unwrapEffect(
  Effect.map(Settings, (settings) => Clips.layer(join(settings.dataDirectory, "videos"), filesLifetime(settings)))
).pipe(Layer.provide(FileStoreLive))

/** What is served at the gateway's own links: what the sandbox renders, and what was fetched from upstreams. */
const FilesLive = Layer.effect(FileSources, Effect.all([Clips, KeptFiles]))

/** `sandbox-text` and `sandbox-video`, both at an upstream named `sandbox`. */
const ModelsLive = Layer.succeed(OwnModels, [...sandboxModels, sandboxVideoModel])

/** The sandbox whole: its upstreams, their models, and its clips among the gateway's files. */
export const SandboxLive = Layer.mergeAll(SandboxTextUpstreams, SandboxVideoUpstreams, FilesLive, ModelsLive).pipe(
  Layer.provide(ClipsLive)
)
