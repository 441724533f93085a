/*
 * The properties that the suite cuts short, with `CASES` times its cases: `bun run test:long properties`. `SEED=random`
 * draws others.
 */
import { runGroup } from "./processGroup.ts"

const files = [
  "test/dispatch/fallbacks.test.ts",
  "test/dispatch/routePrices.test.ts",
  "test/ledger/durableHolds.test.ts",
  "test/ledger/ledger.test.ts",
  "test/ledger/report.test.ts",
  "test/money/routes.test.ts",
  "test/money/served.test.ts",
  "test/sums/sumsOf.test.ts"
]

process.env["CASES"] ??= "4"
process.exitCode = await runGroup([process.execPath, "./test/run.ts", ...files], { graceMs: 10_000 })
