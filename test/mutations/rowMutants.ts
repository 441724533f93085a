import type { Mutant } from "./Mutant.ts"

/** Rows: what explains a cost, and what of it has no price. */
export const rowMutants: ReadonlyArray<Mutant> = [
  {
    name: "ledger: a row with another model's work is explained by its counts alone",
    file: "src/ledger/billOf.ts",
    snippet: "(used.besides === undefined || applied.isFree)) return undefined",
    replacement: "true) return undefined",
    tests: ["test/prices/cases.test.ts"]
  },
  {
    name: "ledger: what has no price is told nobody",
    file: "src/ledger/observed.ts",
    snippet: "    priceGaps(row)\n",
    replacement: "",
    tests: ["test/e2e/rowExplains.test.ts"]
  },
  {
    name: "ledger: another account's usage explains a request",
    file: "src/ledger/store/requestCost.ts",
    snippet: "WHERE account_id = ${account} AND at",
    replacement: "WHERE account_id >= '' AND at",
    tests: ["test/ledger/requestCost.test.ts"]
  }
]
