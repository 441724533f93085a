import { Effect, Schema } from "effect"
import { readable } from "../tasks/StoredRequest.ts"
import type { Lease } from "../tasks/TaskKind.ts"
import { VideoJob } from "../upstreams/videos/VideoUpstream.ts"

/** The job of a task that a worker holds. */
export const jobOf = (lease: Lease) =>
  Effect.flatMap(lease.request, (job) => readable(Schema.decodeUnknown(VideoJob)(job)))
