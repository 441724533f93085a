import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import fc from "fast-check"
import { AccountId, KeyId } from "../../src/contract/Caller.ts"
import { change, isTerminal, VideoStatus } from "../../src/videos/VideoTask.ts"
import type { VideoChange, VideoTask } from "../../src/videos/VideoTask.ts"
import { listed, record, VideoTaskRecord } from "../../src/videos/VideoTaskRecord.ts"
import { resolve } from "../../src/videos/resolve.ts"
import { limits, request } from "./requests.ts"

const task = (fields: Record<string, unknown> = {}): VideoTask => ({
  id: "cgt-20260521153338-abcdefghij",
  account: AccountId.make("default"),
  key: KeyId.make("key"),
  model: "sandbox-video",
  upstream: "sandbox-video",
  status: "queued",
  settings: Either.getOrThrow(resolve(request(fields), limits, () => 78674)).settings,
  createdAtMs: 1_779_348_818_400,
  updatedAtMs: 1_779_348_818_400,
  executionExpiresAfterSeconds: 172_800,
  callbackUrl: null,
  safetyIdentifier: null,
  result: null,
  error: null
})

const done: VideoChange = { status: "succeeded", result: { videoUrl: "https://example.com/v.mp4" } }
const failed: VideoChange = { status: "failed", error: { code: "InternalServiceError", message: "no" } }
const changes: ReadonlyArray<VideoChange> = [
  { status: "queued" },
  { status: "running" },
  done,
  failed,
  { status: "expired" },
  { status: "cancelled" }
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
  it("shows nothing that is not known yet", () => {
    for (const status of ["queued", "running", "expired", "cancelled"] as const) {
      expect(record({ ...task(), status })).toEqual({ ...base, status, updated_at: 1_779_348_818 })
    }
  })

  it("shows the video, its usage and its measures once it succeeded", () => {
    expect(record(change(task(), done, 1_779_348_874_000))).toEqual({
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
    const made = record(change(task({ frames: 57 }), done, 0))
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
      extra: { revised_prompt: "a cat, but better", id: "theirs", status: "theirs" }
    }
    expect(record(change(task(), { status: "succeeded", result }, 0))).toMatchObject({
      id: base.id,
      status: "succeeded",
      revised_prompt: "a cat, but better",
      content: { video_url: "https://example.com/v.mp4", last_frame_url: "https://example.com/l.png" },
      usage: { completion_tokens: 0, total_tokens: 0, tool_usage: { web_search: 1 } },
      seed: 1,
      ratio: "9:16"
    })
  })

  it("says why it failed, in a list under both names", () => {
    const broken = change(task(), failed, 1_779_348_874_000)
    const error = { code: "InternalServiceError", message: "no" }
    expect(record(broken)).toEqual({ ...base, status: "failed", error, updated_at: 1_779_348_874 })
    expect(listed(broken)).toEqual({ ...record(broken), failure_reason: error })
  })

  it("echoes tools and the safety identifier when they were given", () => {
    expect(record({ ...task({ tools: [{ type: "web_search" }] }), safetyIdentifier: "u1" })).toMatchObject({
      tools: [{ type: "web_search" }],
      safety_identifier: "u1"
    })
  })

  it("is what its schema says, key by key in the same order", () => {
    for (const to of changes) {
      const made = record(change(task({ tools: [{ type: "web_search" }] }), to, 0))
      expect(JSON.stringify(Schema.encodeSync(VideoTaskRecord)(made))).toBe(JSON.stringify(made))
    }
  })
})

describe("a video task's changes", () => {
  const anyChange = fc.constantFrom(...changes)

  it("end once: whatever comes after the end changes nothing", () => {
    fc.assert(
      fc.property(fc.array(anyChange), fc.array(anyChange), (before, after) => {
        const ended = before.reduce((at, to) => change(at, to, 1), task())
        fc.pre(isTerminal(ended.status))
        expect(after.reduce((at, to) => change(at, to, 2), ended)).toBe(ended)
      })
    )
  })

  it("never go back to queued, and carry a result or an error exactly when they should", () => {
    fc.assert(
      fc.property(fc.array(anyChange), (all) => {
        let at = task()
        for (const to of all) {
          const then = change(at, to, 1)
          if (at.status !== "queued") expect(then.status).not.toBe("queued")
          expect(then.result !== null).toBe(then.status === "succeeded")
          expect(then.error !== null).toBe(then.status === "failed")
          expect(then.updatedAtMs).toBeGreaterThanOrEqual(at.updatedAtMs)
          at = then
        }
      })
    )
  })

  it("reach every state", () => {
    const seen = new Set(changes.map((to) => change(task(), to, 1).status))
    expect([...seen].sort()).toEqual([...VideoStatus.literals].sort())
  })
})
