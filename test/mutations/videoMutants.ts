import type { Mutant } from "./Mutant.ts"

const whoMadeIt = ["test/upstreams/videos/whoMadeIt.test.ts"]
const leases = ["test/tasks/leases.test.ts"]
const table = ["test/catalogue/videoTable.test.ts"]
const fetching = ["test/videos/fetching.test.ts"]
const unanswered = ["test/videos/unansweredSubmits.test.ts"]

/** Whose video is whose, and what becomes of those that can't be had. */
export const videoMutants: ReadonlyArray<Mutant> = [
  {
    name: "videos: a length that a resolution lacks is taken",
    file: "src/videos/resolve.ts",
    snippet: "const own = narrowedTo(limits, inputs, resolution)",
    replacement: "const own = resolution.length > 99 ? narrowedTo(limits, inputs, resolution) : limits",
    tests: table
  },
  {
    name: "videos: a silent video is held for and charged with sound",
    file: "src/videos/resolve.ts",
    snippet: ': own.sound === "always"',
    replacement: ': own.sound !== "asked"',
    tests: table
  },
  {
    name: "videos: a video that another submit may have made is shown",
    file: "src/upstreams/videos/whoMadeIt.ts",
    snippet: "!others.some((rival) => mayHaveMade(rival, video))",
    replacement: "others.length >= 0 || mayHaveMade(submit, video)",
    tests: whoMadeIt
  },
  {
    name: "videos: one of several videos that a submit may have made is shown",
    file: "src/upstreams/videos/whoMadeIt.ts",
    snippet: "own.length > twins.length + 1",
    replacement: "own.length > twins.length + 99",
    tests: whoMadeIt
  },
  {
    name: "videos: equal requests take the same video",
    file: "src/upstreams/videos/whoMadeIt.ts",
    snippet: "twins.some((twin) => twin.isOpen && isBefore(twin, submit))",
    replacement: "twins.some((twin) => twin.isOpen && isBefore(twin, twin))",
    tests: [...whoMadeIt, ...unanswered]
  },
  {
    name: "videos: rivals that were not read have made nothing",
    file: "src/upstreams/videos/whoMadeIt.ts",
    snippet: "if (isCut)",
    replacement: "if (isCut && left.length > 99)",
    tests: whoMadeIt
  },
  {
    name: "videos: equal requests of two accounts are one",
    file: "src/videos/fingerprints.ts",
    snippet: "JSON.stringify([account, upstreamModel,",
    replacement: "JSON.stringify([account.slice(0, 0), upstreamModel,",
    tests: ["test/videos/fingerprints.test.ts"]
  },
  {
    name: "videos: nothing tells a submit from others before it is sent",
    file: "src/videos/VideoKind.ts",
    snippet: "submitAtMs, fingerprint })",
    replacement: "submitAtMs, ...(fingerprint && {}) })",
    tests: unanswered
  },
  {
    name: "videos: nobody bears the cost of a video that nobody gets",
    file: "src/videos/consumption.ts",
    snippet: "return details.made && {",
    replacement: "return details.made === undefined || state.length > 0 ? undefined : {",
    tests: fetching
  },
  {
    name: "ledger: the caller pays for an answer that nobody got",
    file: "src/ledger/DurableHolds.ts",
    snippet: "{ used: noUsage, ...unpaid(bill.upstreamCostNanoUsd) }",
    replacement: "{ used: noUsage, ...costsWithin(most, bill) }",
    tests: ["test/ledger/undelivered.test.ts"]
  },
  {
    name: "tasks: the fingerprint of an answered submit tells of the next one",
    file: "src/tasks/store/makeLeases.ts",
    snippet: "isSettled ? { fingerprint: null } : {}",
    replacement: "isSettled ? {} : {}",
    tests: leases
  },
  {
    name: "tasks: a fingerprint is stored in the clear",
    file: "src/tasks/store/makeLeases.ts",
    snippet: "seal(sealOf(before.id), patch.fingerprint)",
    replacement: "Effect.succeed(JSON.stringify(patch.fingerprint))",
    tests: leases
  },
  {
    name: "tasks: nothing tells a removed task's submit from others",
    file: "src/tasks/store/removedSubmits.ts",
    snippet: "SELECT id, lane, submit_at, upstream_id, fingerprint FROM tasks",
    replacement: "SELECT id, lane, submit_at, upstream_id, NULL FROM tasks",
    tests: leases
  },
  {
    name: "videos: pictures among the inputs are free",
    file: "src/videos/fitting.ts",
    snippet: 'media.filter(({ kind }) => kind === "image").length',
    replacement: "0",
    tests: ["test/e2e/otherVideos.test.ts"]
  },
  {
    name: "videos: free pictures are billed with the others",
    file: "src/ledger/videoPrice.ts",
    snippet: "inputImages - (perImage.free ?? 0)",
    replacement: "inputImages",
    tests: ["test/catalogue/pricesByProvider.test.ts"]
  }
]
