import { expect, it } from "vitest"
import { lineCaller, tokenLimitsOf } from "../../src/batches/lineCaller.ts"
import { openAIBatch } from "../../src/batches/openai/openAIBatch.ts"
import { RunningLines } from "../../src/batches/RunningLines.ts"
import { AccountId, Caller, KeyId } from "../../src/contract/callers/Caller.ts"

it("lines have the limits of the token that their batch came with, and their key's where those are smaller", () => {
  const caller = Caller.unrestricted("a")
  const limits = { requestsPerMinute: 50, concurrentRequests: 9 }
  expect(tokenLimitsOf({ ...caller, keyLimits: limits })).toBe(undefined)
  const kept = tokenLimitsOf({ ...caller, keyLimits: limits, openedBy: "issuer" })
  const details = JSON.parse(JSON.stringify({ tokenLimits: kept }))
  const own = { requestsPerMinute: 20, tokensPerMinute: 1_000 }
  const { keyLimits } = lineCaller({ ...caller, keyLimits: own }, details)
  expect(keyLimits).toMatchObject({ requestsPerMinute: 20, tokensPerMinute: 1_000, concurrentRequests: 9 })
  expect(lineCaller(caller, {})).toBe(caller)
})

it("a batch that was given up is failed, not completed", () => {
  const row = {
    id: "batch_a",
    account_id: AccountId.make("a"),
    key_id: KeyId.make("a"),
    endpoint: "/v1/embeddings",
    state: "ended",
    total: 2,
    succeeded: 1,
    errored: 0,
    canceled: 0,
    expired: 0,
    cost_nano_usd: 0,
    stop: null,
    details: { headers: {}, inputFile: "file_a", metadata: null },
    created_at: 0,
    expires_at: 1,
    cancel_at: null,
    ended_at: 1
  } as const
  expect(openAIBatch(row).status).toBe("failed")
  expect(openAIBatch({ ...row, details: { ...row.details, finalizingAtMs: 1 } }).status).toBe("completed")
})

it("requests of 64 MiB run at a time, or a single longer one", () => {
  const line = (mebi: number) => ({ batch_id: "b", place: 0, attempts: 0, tries: 0, bytes: mebi * 1024 * 1024 })
  const lines = new RunningLines()
  const first = line(60)
  expect(lines.hasRoomFor(line(100))).toBe(true)
  lines.add("a", first)
  expect([lines.hasRoomFor(line(4)), lines.hasRoomFor(line(5)), lines.of("a"), lines.of("b")]).toEqual([
    true,
    false,
    1,
    0
  ])
  lines.remove(first)
  expect([lines.size, lines.of("a"), lines.hasRoomFor(line(100))]).toEqual([0, 0, true])
})
