import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { besideStreams } from "../guard/bodies/streams.ts"

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_CHECK_ANSWERS: "false" }, toFile: true })
  // Loading at the first requests does not count against a stream.
  await besideStreams(gateway)
})
afterAll(() => gateway.dispose())

const rounds = 3
const mostTimes = 2
/** A wait of a few slices of work does not count: alone, on a quiet machine, others wait a millisecond. */
const smallMs = 10

it("others wait less than twice as long, or a few ms, beside ten readers of streams of 100,000 tokens, or twenty that stopped", async () => {
  for (let round = 1; ; round++) {
    const { aloneMs, besidePausedMs, besideStreamsMs } = await besideStreams(gateway)
    const most = Math.max(besideStreamsMs, besidePausedMs)
    const figures = [aloneMs, besideStreamsMs, besidePausedMs].map((ms) => ms.toFixed(2))
    console.log(`p99 alone, beside streams, beside paused ones: ${figures.join(", ")} ms`)
    if (most < Math.max(mostTimes * aloneMs, smallMs)) return
    if (round === rounds)
      expect.fail(`${(most / aloneMs).toFixed(1)} times as long, where less than ${mostTimes} is promised`)
  }
})
