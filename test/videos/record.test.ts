import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { applyPatch } from "../../src/tasks/Task.ts"
import type { Task, TaskPatch } from "../../src/tasks/Task.ts"
import { openAIVideo } from "../../src/videos/openai/OpenAIVideo.ts"
import { videoTask } from "../../src/videos/VideoTask.ts"
import type { VideoDetails } from "../../src/videos/VideoTask.ts"
import { listed, record, VideoTaskRecord } from "../../src/videos/VideoTaskRecord.ts"
import { resolve } from "../../src/videos/resolve.ts"
import { limits, request } from "./requests.ts"

const task = (fields: Record<string, unknown> = {}, patch: TaskPatch = {}, more: Partial<VideoDetails> = {}) => {
  const { settings } = Either.getOrThrow(resolve(request(fields), limits, () => 78674))
  const queued: Task = {
    id: "cgt-20260521153338-abcdefghij",
    kind: "video",
    account: AccountId.make("default"),
    key: KeyId.make("key"),
    model: "sandbox-video",
    tier: "default",
    state: "queued",
    lane: "video:sandbox",
    upstream: "sandbox",
    upstreamId: null,
    submitAtMs: null,
    callbackUrl: null,
    requestId: null,
    trace: null,
    details: { settings, executionExpiresAfterSeconds: 172_800, safetyIdentifier: null, ...more },
    result: null,
    error: null,
    changes: 1,
    attempts: 0,
    tries: 0,
    expiresAtMs: null,
    createdAtMs: 1_779_348_818_400,
    updatedAtMs: 1_779_348_818_400,
    endedAtMs: null
  }
  return videoTask(applyPatch(queued, patch, 1_779_348_874_000))
}

const done: TaskPatch = { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4" } }
const failed: TaskPatch = { state: "failed", error: { code: "InternalServiceError", message: "no" } }
const patches: ReadonlyArray<TaskPatch> = [
  {},
  { state: "running" },
  done,
  failed,
  { state: "expired" },
  { state: "cancelled" }
]

const base = {
  id: "cgt-20260521153338-abcdefghij",
  model: "sandbox-video",
  created_at: 1_779_348_818,
  service_tier: "default",
  execution_expires_after: 172_800,
  generate_audio: true,
  draft: false,
  priority: 0
}

describe("a video task's record", () => {
  it("has the upstream's progress while it runs, in either shape", () => {
    const running: TaskPatch = { state: "running" }
    expect(record(task({}, running, { progress: 42 }))).toMatchObject({ status: "running", progress: 42 })
    expect(openAIVideo(task({}, running, { progress: 42 }))).toMatchObject({ status: "in_progress", progress: 42 })
    expect(record(task({}, running))).not.toHaveProperty("progress")
    expect(openAIVideo(task({}, running))).toMatchObject({ progress: 0 })
    expect(record(task({}, done, { progress: 99 }))).not.toHaveProperty("progress")
    expect(openAIVideo(task({}, done, { progress: 99 }))).toMatchObject({ progress: 100 })
  })

  it("shows nothing that is not known yet", () => {
    expect(record(task())).toEqual({ ...base, status: "queued", updated_at: 1_779_348_818 })
    for (const state of ["running", "expired", "cancelled"] as const) {
      expect(record(task({}, { state }))).toEqual({ ...base, status: state, updated_at: 1_779_348_874 })
    }
  })

  it("shows the video, its usage and its measures once it succeeded", () => {
    expect(record(task({}, done))).toEqual({
      ...base,
      status: "succeeded",
      updated_at: 1_779_348_874,
      content: { video_url: "https://example.com/v.mp4" },
      usage: { completion_tokens: 108_000, total_tokens: 108_000 },
      seed: 78674,
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      framespersecond: 24
    })
  })

  it("shows frames in place of duration when frames were asked for", () => {
    const made = record(task({ frames: 57 }, done))
    expect(made.frames).toBe(57)
    expect(made).not.toHaveProperty("duration")
  })

  it("takes the upstream's word for what was made, and carries what it adds", () => {
    const result = {
      videoUrl: "https://example.com/v.mp4",
      lastFrameUrl: "https://example.com/l.png",
      usage: { completionTokens: 0, totalTokens: 0, toolUsage: { web_search: 1 } },
      seed: 1,
      ratio: "9:16",
      extra: { revised_prompt: "a cat, but better", id: "theirs", status: "theirs", duration: 9, error: null }
    }
    expect(record(task({}, { state: "succeeded", result }))).toMatchObject({
      id: base.id,
      status: "succeeded",
      revised_prompt: "a cat, but better",
      content: { video_url: "https://example.com/v.mp4", last_frame_url: "https://example.com/l.png" },
      usage: { completion_tokens: 0, total_tokens: 0, tool_usage: { web_search: 1 } },
      seed: 1,
      ratio: "9:16",
      duration: 5
    })
    expect(record(task({}, { state: "succeeded", result }))).not.toHaveProperty("error")
  })

  it("says why it failed, in a list under both names", () => {
    const broken = task({}, failed)
    const error = { code: "InternalServiceError", message: "no" }
    expect(record(broken)).toEqual({ ...base, status: "failed", error, updated_at: 1_779_348_874 })
    expect(listed(broken)).toEqual({ ...record(broken), failure_reason: error })
  })

  it("echoes tools and the safety identifier when they were given", () => {
    expect(record(task({ tools: [{ type: "web_search" }] }, {}, { safetyIdentifier: "u1" }))).toMatchObject({
      tools: [{ type: "web_search" }],
      safety_identifier: "u1"
    })
  })

  it("is what its schema says, key by key in the same order", () => {
    for (const patch of patches) {
      const made = record(task({ tools: [{ type: "web_search" }] }, patch))
      expect(JSON.stringify(Schema.encodeSync(VideoTaskRecord)(made))).toBe(JSON.stringify(made))
    }
  })
})
