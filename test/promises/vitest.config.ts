import { defineConfig } from "vitest/config"
import suite from "../../vitest.config.ts"

/** Left out where it has to be quick: the console's pages over a large database, and reports over a seeded year. */
const long = ["test/promises/console.promise.ts", "test/promises/reports.promise.ts"]

/** What is promised by the clock, one file after the other: they are not to measure each other. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: ["test/promises/*.promise.ts"],
    exclude: process.env["PROMISES"] === "short" ? long : [],
    fileParallelism: false,
    isolate: true,
    env: {},
    globalSetup: ["test/bundled.ts", "test/promises/calibrate.ts"],
    testTimeout: 300_000
  }
})
