import type { Mutant } from "./Mutant.ts"

const lanes = ["test/routing/lanes.test.ts"]

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
    name: "lanes: an account confirms its own refusal",
    file: "src/routing/Rests.ts",
    snippet: "if (one.account === account) smallest",
    replacement: "if (one.account === account && one.size < 0) smallest",
    tests: lanes
  }
]
