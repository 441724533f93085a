import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/compiled.ts", "test/sql/onePostgres.ts"],
    setupFiles: ["test/seed.ts"],
    pool: "forks",
    // Bun loads the gateway's modules and the packages, in half the processor time that Vite takes for each file.
    server: { deps: { external: [/\/(?:src|node_modules)\/.*(?<!\.(?:test|promise)\.ts)$/] } },
    env: { TEST_SHORT_LIVED: "true" },
    // More files at once than there are cores: they wait for their servers half of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    minWorkers: 1,
    // What hangs must end, and nothing else is told by the clock: both cores may be busy with something else.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }
  }
})
