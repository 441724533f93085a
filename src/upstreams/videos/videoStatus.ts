import type { JsonObject } from "../../contract/fields.ts"

type Status = "queued" | "running" | "succeeded" | "failed" | "expired" | "cancelled"

const labels: Readonly<Record<string, Status>> = {
  pending: "queued",
  queued: "queued",
  submitted: "queued",
  not_start: "queued",
  processing: "running",
  running: "running",
  in_progress: "running",
  succeeded: "succeeded",
  success: "succeeded",
  completed: "succeeded",
  failed: "failed",
  failure: "failed",
  error: "failed",
  expired: "expired",
  cancelled: "cancelled",
  canceled: "cancelled"
}

export type VideoState = Status | "unknown"

/** The state behind an upstream's label. `unknown` leaves the task as it is. */
export const videoStatus = (label: string): VideoState => {
  const key = label.toLowerCase()
  return Object.hasOwn(labels, key) ? (labels[key] ?? "unknown") : "unknown"
}

/** The progress in an answer, in whole per cent: `45`, or `"45%"` as some relays write it. */
export const progressIn = (answer: JsonObject): number | undefined => {
  const said = answer["progress"]
  const [, digits] = typeof said === "string" ? (/^(\d{1,3})(?:\.\d{1,9})?%?$/.exec(said) ?? []) : []
  const progress = typeof said === "number" ? Math.floor(said) : Number(digits ?? Number.NaN)
  return progress >= 0 && progress <= 100 ? progress : undefined
}
