import type { Mutant } from "./Mutant.ts"

const lanes = ["test/routing/lanes.test.ts"]
const full = ["test/routing/fullLanes.test.ts"]
const words = ["test/upstreams/protocols/restOf.test.ts"]

/** What rests after a refusal for load, and for whom. */
export const laneMutants: ReadonlyArray<Mutant> = [
  {
    name: "lanes: one account's refusal rests a lane for all",
    file: "src/routing/RetryAfter.ts",
    snippet: 'who: rests.isOfAll === true ? "all" : "second"',
    replacement: 'who: "all"',
    tests: [...lanes, "test/routing/oneAccount.test.ts"]
  },
  {
    name: "lanes: a request counts as the kind that the upstream names",
    file: "src/routing/Lane.ts",
    snippet: 'return lane.tier === "flex" ? part : undefined',
    replacement: "return part",
    tests: lanes
  },
  {
    name: "lanes: a fast request's overload rests the model",
    file: "src/routing/Lane.ts",
    snippet: 'case "model":\n      return lane.isFast ? "fast" : part',
    replacement: 'case "model":\n      return part',
    tests: lanes
  },
  {
    name: "lanes: smaller requests rest too",
    file: "src/routing/Rests.ts",
    snippet: "coolDown.atLeast === 0 || coolDown.atLeast <= lane.size()",
    replacement: "true",
    tests: lanes
  },
  {
    name: "lanes: all rest from the smaller of two refused sizes on",
    file: "src/routing/Rests.ts",
    snippet: "return two[1]?.size",
    replacement: "return two[1] && two[0]?.size",
    tests: lanes
  },
  {
    name: "lanes: an account confirms its own refusal",
    file: "src/routing/Rests.ts",
    snippet: "if (one.account === account) smallest",
    replacement: "if (one.account === account && one.size < 0) smallest",
    tests: lanes
  },
  {
    name: "lanes: an answer clears what was refused after it began",
    file: "src/routing/Rests.ts",
    snippet: "if (map.get(place.name) === coolDown) map.delete(place.name)",
    replacement: "map.delete(place.name)",
    tests: lanes
  },
  {
    name: "lanes: a deadline is not waited for where no other route answers",
    file: "src/routing/RetryAfter.ts",
    snippet: "!(mayProbe && hasOther(route))",
    replacement: "!mayProbe",
    tests: lanes
  },
  {
    name: "lanes: every call probes a lane with a deadline",
    file: "src/routing/RetryAfter.ts",
    snippet: "coolDown.nextProbeMs = now + probeEveryMs",
    replacement: "coolDown.nextProbeMs = now",
    tests: lanes
  },
  {
    name: "lanes: a full flex tier is answered by a dearer one",
    file: "src/routing/tryRoutes.ts",
    snippet: 'error.rests !== "nothing" && isDearer(requester, other, route)',
    replacement: 'error.rests === "nothing" && isDearer(requester, other, route)',
    tests: full
  },
  {
    name: "lanes: what never fits is sent with the next key",
    file: "src/upstreams/UpstreamError.ts",
    snippet: 'return rests !== "nothing" && rests.isOfEveryKey !== true',
    replacement: 'return rests === "nothing" || rests.isOfEveryKey !== true',
    tests: full
  },
  {
    name: "lanes: a sentence in the request is believed",
    file: "src/upstreams/protocols/restOf.ts",
    snippet: "return sent.includes(found.words.slice(-telling)) ? undefined : found.rest",
    replacement: "return sent.includes(message) ? undefined : found.rest",
    tests: words
  },
  {
    name: "lanes: more than the limit itself rests the lane",
    file: "src/upstreams/protocols/rests.ts",
    snippet: "numberOf(limit) < numberOf(requested)",
    replacement: "numberOf(limit) < 0",
    tests: words
  },
  {
    name: "lanes: a daily quota of Gemini's rests for seconds",
    file: "src/upstreams/protocols/quotaFailure.ts",
    snippet: "{ forMs: untilMidnight(pacific, nowMs) }",
    replacement: "{ forMs: undefined }",
    tests: words
  }
]
