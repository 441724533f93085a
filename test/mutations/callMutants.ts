import type { Mutant } from "./Mutant.ts"

const ledger = ["test/ledger/ledger.test.ts"]
const groups = ["test/requests/groups.test.ts", "test/routing/UpstreamCalls.test.ts"]

/** What calls to upstreams cost, and whether they count against them. */
export const callMutants: ReadonlyArray<Mutant> = [
  {
    name: "calls: the loser of a hedge has failed",
    file: "src/contract/CallOutcome.ts",
    snippet: 'outcome === "failed" || outcome === "cut"',
    replacement: 'outcome === "failed" || outcome === "cut" || outcome === "outpaced"',
    tests: groups
  },
  {
    name: "calls: what the gateway kept back is a call",
    file: "src/requests/attemptCounts.ts",
    snippet: 'if (outcome === "unsent") continue',
    replacement: "",
    tests: groups
  },
  {
    name: "calls: a refusal has a first byte",
    file: "src/requests/Tally.ts",
    snippet: 'if (status < 400 && upstream !== "" && first_byte_ms > 0) this',
    replacement: "this",
    tests: groups
  },
  {
    name: "calls: a broken answer costs the operator nothing",
    file: "src/ledger/metered.ts",
    snippet: "this.#charge.cut(used, !this.#isTotal || this.#isEstimated)",
    replacement: "this.#charge.release()",
    tests: ["test/ledger/metered.test.ts"]
  },
  {
    name: "calls: a broken answer keeps its hold",
    file: "src/ledger/Ledger.ts",
    snippet: "balances.release(this.#request.caller, this.#held)\n        this.#tellUnpaid(unserved.cut",
    replacement: "this.#tellUnpaid(unserved.cut",
    tests: ledger
  },
  {
    name: "calls: a call beside counts as a request",
    file: "src/ledger/store/usageRows.ts",
    snippet: "if (isServed(row)) sum.requests++",
    replacement: "sum.requests++",
    tests: ledger
  },
  {
    name: "calls: a task's broken answers are lost",
    file: "src/ledger/DurableHolds.ts",
    snippet: "unserved.cut(request, used, estimated, id)",
    replacement: "",
    tests: ["test/ledger/durableHolds.test.ts"]
  }
]
