import type { JsonObject } from "../../../contract/fields.ts"
import { isObject } from "../../../contract/json/json.ts"
import { shownValues } from "../../videos/SubmitFingerprint.ts"
import type { VideoJob } from "../../videos/VideoUpstream.ts"
import { requestOf } from "./request.ts"

/** The request fields that a record repeats; the last five only once the video is made. */
const repeated = [
  "model",
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

const repeatedIn = (values: JsonObject): JsonObject =>
  shownValues(Object.fromEntries(repeated.map((name) => [name, values[name]])))

/** The fields of a job that Ark's list shows. The record of an endpoint (`ep-…`) names the model behind it. */
export const shownInList = (job: VideoJob): JsonObject => {
  const { model, ...others } = repeatedIn(requestOf(job))
  return job.upstreamModel.startsWith("ep-") ? others : { model, ...others }
}

/** The same of a record in the list. */
export const shownInRecord = (record: unknown): JsonObject | undefined =>
  isObject(record) ? repeatedIn(record) : undefined
