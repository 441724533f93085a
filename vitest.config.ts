import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const workers = availableParallelism() * 2

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/compiled.ts", "test/sql/onePostgres.ts"],
    setupFiles: ["test/costs.ts", "test/seed.ts", "test/leftovers.ts"],
    pool: "forks",
    // A worker loads the gateway's modules and the packages once, not for each file: a third of the suite's time.
    // `test/moduleState.test.ts` shows that they share nothing; `test/leftovers.ts` undoes what a file changes of its process.
    isolate: false,
    // Bun loads them, in half the processor time that Vite takes.
    server: { deps: { external: [/\/(?:src|node_modules)\/.*(?<!\.(?:test|promise)\.ts)$/] } },
    env: { TEST_SHORT_LIVED: "true" },
    // More files at once than there are cores: they wait for their servers half of the time. As few as many: Vitest stops an
    // idle worker that is not needed, and may stop it once more at the end, which fails the run.
    maxWorkers: workers,
    minWorkers: workers,
    // What hangs must end, and nothing else is told by the clock: both cores may be busy with something else.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } }
  }
})
