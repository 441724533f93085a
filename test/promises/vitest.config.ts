import { defineConfig } from "vitest/config"
import suite from "../../vitest.config.ts"

/** What is promised by the clock, one file after the other: they are not to measure each other. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: ["test/promises/*.promise.ts"],
    fileParallelism: false,
    isolate: true,
    env: {},
    globalSetup: ["test/bundled.ts", "test/promises/calibrate.ts"],
    testTimeout: 300_000
  }
})
