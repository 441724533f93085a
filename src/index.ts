/*
 * The exports of the package `model-gateway` (docs/embedding.md): `Gateway.layer(parts)`, the services that may be
 * parts, and the types that custom upstreams are written with.
 */

export { BunRuntime } from "@effect/platform-bun"
export { SqlClient } from "@effect/sql"

// The contract: what clients may send, and what they are answered.
export { AdminApi } from "./admin/Api.ts"
export { GatewayApi } from "./Api.ts"

// The gateway, its parts and what it gives.
export * as Gateway from "./Gateway.ts"
export { Keys } from "./access/store/Keys.ts"
export { WebhookSecrets } from "./access/WebhookSecrets.ts"
export { AccountId, Caller, KeyId } from "./contract/callers/Caller.ts"

// The services that are parts.
export { Access } from "./access/Access.ts"
export { MasterSecret } from "./access/MasterSecret.ts"
export { CallbackFailed, CallbackTransport } from "./callbacks/CallbackTransport.ts"
export type { CallbackReply, CallbackRequest } from "./callbacks/CallbackTransport.ts"
export type { ModelEntry as Model } from "./catalogue/Catalogue.ts"
export { OwnModels } from "./catalogue/OwnModels.ts"
export { PublicUrl } from "./config/PublicUrl.ts"
export { Settings } from "./config/Settings.ts"
export type { GatewaySettings } from "./config/Settings.ts"
export type { RequestRecord } from "./contract/records/RequestRecord.ts"
export { Documents } from "./documents/Documents.ts"
export { FileStore } from "./files/FileStore.ts"
export type { Files, StoredFile } from "./files/Files.ts"
export { AddressGuard } from "./guard/AddressGuard.ts"
export { Idempotency } from "./idempotency/Idempotency.ts"
export { Ledger } from "./ledger/Ledger.ts"
export { Limits } from "./limits/Limits.ts"
export { Search } from "./search/Search.ts"
export type { SearchProvider, SearchRequest } from "./search/SearchProvider.ts"
export { migrate } from "./sql/migrations.ts"
export { TaskStore } from "./tasks/TaskStore.ts"
export { AccessLog } from "./telemetry/AccessLog.ts"
export { TextUpstreams } from "./upstreams/Upstreams.ts"
export { VideoUpstreams } from "./upstreams/videos/VideoUpstream.ts"

// Upstreams of one's own.
export * from "./contract/failures/Failure.ts"
export type * from "./generation/Conversation.ts"
export type { Batch, Generation, GenerationEnding } from "./generation/Generation.ts"
export type { FinishReason, GenerationEvent, Usage } from "./generation/GenerationEvent.ts"
export { lastUserText, textOf } from "./generation/textOf.ts"
export { streamUpstream } from "./upstreams/text/streamUpstream.ts"
export type { GenerateOptions } from "./upstreams/Upstream.ts"
export { UpstreamError } from "./upstreams/UpstreamError.ts"
export { upstreamOf } from "./upstreams/text/upstreamOf.ts"
export { VideoAmbiguous, VideoRejected, VideoSaturated, VideoTransient } from "./upstreams/videos/VideoUpstream.ts"
export type { VideoJob, VideoReport, VideoUpstream } from "./upstreams/videos/VideoUpstream.ts"
