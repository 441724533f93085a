import type { Mutant } from "./Mutant.ts"

const holds = ["test/ledger/durableHolds.test.ts"]
const aboveHold = ["test/ledger/aboveHold.test.ts"]

/** What is held for a request, and that its charge is no more. */
export const holdMutants: ReadonlyArray<Mutant> = [
  {
    name: "ledger: a write for twelve hours costs as one for minutes",
    file: "src/ledger/priceTerms.ts",
    snippet: "halfDay, rates.cacheWriteHalfDay ?? rates.cacheWrite",
    replacement: "halfDay, rates.cacheWrite",
    tests: ["test/money/served.test.ts"]
  },
  {
    name: "dispatch: a request that names two tiers is held at the first",
    file: "src/dispatch/waysServed.ts",
    snippet: '[...values].join(" or ")',
    replacement: "[...values][0]",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "ledger: a hold below zero is a credit",
    file: "src/ledger/afford.ts",
    snippet: "hold.nanoUsd >= 0 && hold.nanoUsd <= mostMoney ? hold",
    replacement: "hold.nanoUsd <= mostMoney ? hold",
    tests: ["test/ledger/ledger.test.ts"]
  },
  {
    name: "dispatch: a request bounds its hosted calls by -1",
    file: "src/generation/demandsOf.ts",
    snippet: "most !== undefined && most > 0 && isCount(most) ? most",
    replacement: "most !== undefined ? most",
    tests: ["test/generation/demandsOf.test.ts"]
  },
  {
    name: "dispatch: a field that the upstream does not know bounds its calls",
    file: "src/generation/demandsOf.ts",
    snippet: 'bound && callsWithin(bound === "max_uses" ? tool : body, bound)',
    replacement: 'callsWithin(tool, "max_uses") ?? callsWithin(body, "max_tool_calls")',
    tests: ["test/generation/demandsOf.test.ts"]
  },
  {
    name: "ledger: any number of calls is believed",
    file: "src/generation/plausible.ts",
    snippet: "count > mostCalls",
    replacement: "count > Infinity",
    tests: ["test/generation/plausible.test.ts"]
  },
  {
    name: "ledger: a charge is above its hold",
    file: "src/ledger/aboveHold.ts",
    snippet: "Math.min(costNanoUsd, mostNanoUsd)",
    replacement: "costNanoUsd",
    tests: aboveHold
  },
  {
    name: "ledger: a hold of nothing bounds no charge",
    file: "src/ledger/Balances.ts",
    snippet: "isUncounted === true ? Infinity : nanoUsd",
    replacement: "nanoUsd === 0 ? Infinity : nanoUsd",
    tests: aboveHold
  },
  {
    name: "ledger: a task's stored hold bounds no charge",
    file: "src/ledger/DurableHolds.ts",
    snippet: "isUncounted ?? nanoUsd === 0",
    replacement: "true",
    tests: holds
  },
  {
    name: "ledger: a task's hold of nothing bounds no charge",
    file: "src/ledger/DurableHolds.ts",
    snippet: "isUncounted ?? nanoUsd === 0",
    replacement: "nanoUsd === 0",
    tests: holds
  },
  {
    name: "ledger: the part of a cost above its hold is nobody's",
    file: "src/ledger/aboveHold.ts",
    snippet: "return { costNanoUsd, upstreamCostNanoUsd, aboveHoldNanoUsd",
    replacement: "return { costNanoUsd, upstreamCostNanoUsd: costNanoUsd, aboveHoldNanoUsd",
    tests: aboveHold
  },
  {
    name: "dispatch: a text that is estimated holds what its samples say",
    file: "src/tokens/tokens.ts",
    snippet: "most + Buffer.byteLength(text)",
    replacement: "most + Buffer.byteLength(text) / 100",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: output without a bound holds the usual output of any model",
    file: "src/dispatch/mostUsed.ts",
    snippet: "Math.min(left, mostWritten)",
    replacement: "Math.min(left, unboundedOutput)",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: a document that only the upstream reads is not held",
    file: "src/dispatch/mostInput.ts",
    snippet: "conversation.items.some(refers) ? own + longestDocument : own",
    replacement: "own",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: what searches read is not held",
    file: "src/dispatch/mostInput.ts",
    snippet: "round + calls * Math.min(round + callResults, longestInput)",
    replacement: "round",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "videos: what an upstream adds to a length is not held",
    file: "src/videos/fitting.ts",
    snippet: "upstream.extraFrames ?? 0",
    replacement: "upstream.extraFrames === undefined ? 0 : 0",
    tests: ["test/money/videoBills.test.ts"]
  }
]
