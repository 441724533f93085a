/*
 * What the package `model-gateway` offers: the gateway as Layers (docs/embedding.md). The names of `effect` that a
 * gateway is put together with come along, because Layers can only be given to Layers of the same copy of it.
 */

export { BunRuntime } from "@effect/platform-bun"
export { SqlClient } from "@effect/sql"
export { Console, Context, Effect, Layer, Option, Redacted, Stream } from "effect"

// The contract: what clients may send, and what they are answered.
export { AdminApi } from "./admin/Api.ts"
export { GatewayApi } from "./Api.ts"

// The gateway, and what it is shipped with.
export { GatewayCore, GatewayLive } from "./Gateway.ts"
export type { GatewayNeeds, StartFailure } from "./Gateway.ts"
export {
  DatabaseLive,
  GuardLive,
  KeptFilesLive,
  PlatformLive,
  PublicUrlLive,
  SandboxLive,
  SecretLive
} from "./Shipped.ts"
export { migrate } from "./sql/migrations.ts"

// What it needs.
export { MasterSecret } from "./access/MasterSecret.ts"
export { PublicUrl } from "./config/PublicUrl.ts"
export { Settings } from "./config/Settings.ts"
export type { GatewaySettings } from "./config/Settings.ts"
export { Documents } from "./documents/Documents.ts"
export { FileStore } from "./files/FileStore.ts"
export type { Files, StoredFile } from "./files/Files.ts"
export { FileSources } from "./files/FileSources.ts"
export type { FileSource } from "./files/FileSources.ts"
export { KeptFiles } from "./files/KeptFiles.ts"
export { AddressGuard } from "./guard/AddressGuard.ts"
export type { Model } from "./catalogue/Catalogue.ts"
export { OwnModels } from "./catalogue/OwnModels.ts"
export { AccessLog } from "./telemetry/AccessLog.ts"
export type { RequestRecord } from "./contract/RequestRecord.ts"
export { TextUpstreams } from "./upstreams/Upstreams.ts"
export { VideoUpstreams } from "./upstreams/VideoUpstream.ts"

// What it gives.
export { Keys } from "./access/store/Keys.ts"
export { WebhookSecrets } from "./access/WebhookSecrets.ts"
export { AccountId } from "./contract/Caller.ts"
export { Listening } from "./http/Server.ts"

// Upstreams of one's own.
export * from "./contract/Failure.ts"
export type * from "./generation/Conversation.ts"
export type { Batch, Generation, GenerationEnding } from "./generation/Generation.ts"
export type { FinishReason, GenerationEvent, Usage } from "./generation/GenerationEvent.ts"
export { lastUserText, textOf } from "./generation/textOf.ts"
export { streamUpstream } from "./upstreams/streamUpstream.ts"
export type { GenerateOptions } from "./upstreams/Upstream.ts"
export { UpstreamError } from "./upstreams/UpstreamError.ts"
export { upstreamOf } from "./upstreams/upstreamOf.ts"
export { VideoAmbiguous, VideoRejected, VideoSaturated, VideoTransient } from "./upstreams/VideoUpstream.ts"
export type { VideoJob, VideoReport, VideoUpstream } from "./upstreams/VideoUpstream.ts"
