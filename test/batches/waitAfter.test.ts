import { describe, expect, it } from "vitest"
import { Lane } from "../../src/batches/Lane.ts"
import { waitAfter } from "../../src/batches/waitAfter.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import {
  InsufficientBalance,
  Internal,
  InvalidRequest,
  RateLimited,
  Unavailable,
  UpstreamFailed
} from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"

const after = (failure: Failure, line: { attempts?: number; tries?: number } = {}, mayBeAtFault = false) =>
  waitAfter(failure, { attempts: 0, tries: 0, ...line }, { mayBeAtFault }, 0.5)

describe("a line of a batch whose request failed", () => {
  it.each([new Unavailable({}), new RateLimited({ retryAfterSeconds: null }), new UpstreamFailed({})])(
    "waits for as long as it takes: %s",
    (failure) => {
      expect(after(failure)).toMatchObject({ delayMs: 500, attempts: 0 })
      expect(after(failure, { tries: 1_000, attempts: 4 })).toMatchObject({ delayMs: 30_000, attempts: 4 })
    }
  )

  it("is tried five times if its upstream fails it, later each time", () => {
    const failed = new UpstreamFailed({})
    expect([0, 1, 2, 3, 4].map((attempts) => after(failed, { attempts, tries: attempts }, true))).toEqual([
      { how: "failed", delayMs: 1_000, attempts: 1 },
      { how: "failed", delayMs: 10_000, attempts: 2 },
      { how: "failed", delayMs: 60_000, attempts: 3 },
      { how: "failed", delayMs: 300_000, attempts: 4 },
      undefined
    ])
  })

  it.each([
    new InvalidRequest({ param: null }),
    new InsufficientBalance({}),
    new Internal({}),
    new RateLimited({ retryAfterSeconds: null, neverFits: true })
  ])("ends: %s", (failure) => {
    expect(after(failure)).toBeUndefined()
  })
})

describe("a batch's lines in a process", () => {
  const place = (n: number) => ({ batch_id: "b", place: n, attempts: 0, tries: 0, bytes: 0 })
  const batch = {
    id: "b",
    account_id: AccountId.make("a"),
    key_id: KeyId.make("a"),
    endpoint: "/v1/messages",
    state: "running",
    total: 100,
    succeeded: 0,
    errored: 0,
    canceled: 0,
    expired: 0,
    cost_nano_usd: 0,
    stop: null,
    details: {},
    created_at: 0,
    expires_at: 1,
    cancel_at: null,
    ended_at: null
  } as const

  it("run on beside some that fail at their upstream, and rest once all of them do", () => {
    const lane = new Lane(batch, 4)
    lane.waiting = Array.from({ length: 20 }, (_, n) => place(n))
    const over = (how: "ended" | "failed") => {
      const line = lane.next()
      if (line !== undefined) lane.over(line, how, 0)
    }
    for (const how of ["failed", "failed", "failed", "ended", "failed", "failed", "failed"] as const) over(how)
    expect(lane.room(0)).toBe(4)
    over("failed")
    expect([lane.room(0), lane.room(250)]).toEqual([0, 1])
    over("failed")
    expect([lane.room(250), lane.room(500)]).toEqual([0, 1])
    over("ended")
    for (let n = 0; n < 8; n++) over("ended")
    expect(lane.room(500)).toBe(3)
  })
})
