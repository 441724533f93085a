import type { Mutant } from "./Mutant.ts"

const holds = ["test/ledger/durableHolds.test.ts"]
const aboveHold = ["test/ledger/aboveHold.test.ts"]

/** What is held for a request, and that its charge is no more. */
export const holdMutants: ReadonlyArray<Mutant> = [
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
    snippet: "held.is_uncounted ?? held.nano_usd === 0",
    replacement: "true",
    tests: holds
  },
  {
    name: "ledger: a task's hold of nothing bounds no charge",
    file: "src/ledger/DurableHolds.ts",
    snippet: "held.is_uncounted ?? held.nano_usd === 0",
    replacement: "held.nano_usd === 0",
    tests: holds
  },
  {
    name: "ledger: the part of a cost above its hold is nobody's",
    file: "src/ledger/aboveHold.ts",
    snippet: "upstreamCostNanoUsd: costNanoUsd,",
    replacement: "upstreamCostNanoUsd: charged,",
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
    snippet: "round + calls * (round + callResults)",
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
