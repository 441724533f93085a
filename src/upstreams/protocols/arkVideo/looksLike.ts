import type { VideoJob } from "../../VideoUpstream.ts"
import { isObject } from "../../../contract/json.ts"
import { requestOf } from "./request.ts"

/** What a record echoes of its request, some of it only when it has succeeded. */
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
/** Left to the model: any value may come of them. */
const open = new Set<unknown>([-1, "adaptive", null, undefined])

/** Whether a record may be this job's: nothing it says differs from what the job asked for. */
export const looksLike = (record: unknown, job: VideoJob): boolean => {
  if (!isObject(record)) return false
  const asked = requestOf(job)
  const agrees = (name: string) => open.has(asked[name]) || open.has(record[name]) || asked[name] === record[name]
  // The record of an endpoint (`ep-…`) names the model behind it.
  const isModel = record["model"] === job.upstreamModel || job.upstreamModel.startsWith("ep-")
  return isModel && echoed.every(agrees)
}
