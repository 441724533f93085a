import { expect, it } from "@effect/vitest"
import { progressIn, videoStatus } from "../../../src/upstreams/videos/videoStatus.ts"

it("understands every label that upstreams use, in any case, and leaves the rest unknown", () => {
  const all = {
    queued: ["pending", "queued", "submitted", "NOT_START"],
    running: ["processing", "running", "in_progress"],
    succeeded: ["succeeded", "SUCCESS", "completed"],
    failed: ["failed", "failure", "error"],
    expired: ["expired"],
    cancelled: ["cancelled", "canceled"],
    unknown: ["", "paused", "constructor", "__proto__"]
  }
  for (const [status, labels] of Object.entries(all)) {
    for (const label of labels) expect(videoStatus(label), label).toBe(status)
  }
})

it.each([
  [45, 45],
  [45.9, 45],
  ["45%", 45],
  ["100", 100],
  [0, 0],
  [101, undefined],
  [-1, undefined],
  ["soon", undefined],
  [null, undefined],
  [Number.NaN, undefined]
])("a progress of %s is %s per cent", (progress, percent) => {
  expect(progressIn({ progress })).toBe(percent)
})
