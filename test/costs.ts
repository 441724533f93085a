import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { afterAll, expect } from "vitest"

/*
 * Notes what each file took of the processors, which is all that counts while the suite runs (CONTRIBUTING.md): that of its
 * worker, and of the processes that it started and ended. `test/run.ts` tells the most expensive ones.
 */

const { TEST_COSTS } = process.env

/** Linux counts in hundredths of a second, for whatever clock. */
const ticks = 100

/** Seconds of this process and of its children that have ended; 0 where the system doesn't tell. */
const processorSeconds = (): number => {
  if (!existsSync("/proc/self/stat")) return 0
  const [, counts = ""] = readFileSync("/proc/self/stat", "utf8").split(") ")
  return (
    counts
      .split(" ")
      .slice(11, 15)
      .reduce((sum, count) => sum + Number(count), 0) / ticks
  )
}

if (TEST_COSTS !== undefined) {
  const before = processorSeconds()
  afterAll(() => {
    const { testPath = "" } = expect.getState()
    const seconds = (processorSeconds() - before).toFixed(1)
    appendFileSync(TEST_COSTS, `${seconds} ${relative(process.cwd(), testPath)}\n`)
  })
}
