import type { Mutant } from "./Mutant.ts"

const ledger = ["test/ledger/ledger.test.ts"]

/** What calls to upstreams cost, and whether they count against them. */
export const callMutants: ReadonlyArray<Mutant> = [
  {
    name: "calls: a broken answer costs the operator nothing",
    file: "src/ledger/meter.ts",
    snippet: "this.#charge.cut(used, !this.#isTotal || this.#isEstimated)",
    replacement: "this.#charge.release()",
    tests: ["test/ledger/meter.test.ts"]
  },
  {
    name: "calls: a broken answer keeps its hold",
    file: "src/ledger/Ledger.ts",
    snippet: "balances.release(this.#request.caller, this.#held)\n        this.#tellUnpaid(unserved.cut",
    replacement: "this.#tellUnpaid(unserved.cut",
    tests: ledger
  },
  {
    name: "calls: a task's broken answers are lost",
    file: "src/ledger/DurableHolds.ts",
    snippet: "unserved.cut(request, used, { estimated, task: id })",
    replacement: "",
    tests: ["test/ledger/durableHolds.test.ts"]
  }
]
