import type { VideoJob } from "../../VideoUpstream.ts"
import { isObject } from "../../../contract/json.ts"
import { requestOf } from "./request.ts"

/** The request fields that a record repeats, some only after success. */
const echoed = [
  "service_tier",
  "execution_expires_after",
  "generate_audio",
  "draft",
  "priority",
  "safety_identifier",
  "seed",
  "resolution",
  "ratio",
  "duration",
  "frames"
]
/** Values that leave the choice to the model, so that any result matches. */
const open = new Set<unknown>([-1, "adaptive", null, undefined])

/** True if no field of a record differs from the job. */
export const looksLike = (record: unknown, job: VideoJob): boolean => {
  if (!isObject(record)) return false
  const request = requestOf(job)
  const agrees = (name: string) => open.has(request[name]) || open.has(record[name]) || request[name] === record[name]
  // The record of an endpoint (`ep-…`) names the model behind it.
  const isModel = record["model"] === job.upstreamModel || job.upstreamModel.startsWith("ep-")
  return isModel && echoed.every(agrees)
}
