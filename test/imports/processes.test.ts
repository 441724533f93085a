import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { readSources } from "./imports.ts"
import { testsOfProcesses } from "./processes.ts"

/** Lower it with each test that moves into its own process (`test/gatewayHere.ts`); docs/testing.md says which stay. */
const ceiling = 77

describe("tests that start a gateway's process", async () => {
  const sources = await readSources(join(import.meta.dirname, ".."))

  it("are no more than they were", () => {
    const tests = testsOfProcesses(sources)
    expect(tests.length, tests.join("\n")).toBeLessThanOrEqual(ceiling)
  })

  const process = 'import { startGateway } from "./e2e/process.ts"\n'
  it.each([
    [{ "one.test.ts": process }, ["one.test.ts"]],
    [{ "one.test.ts": 'import { world } from "./world.ts"', "world.ts": process }, ["one.test.ts"]],
    [{ "one.test.ts": 'import { startGateway } from "./gatewayHere.ts"' }, []],
    [{ "one.test.ts": 'import { testKey, type GatewayProcess } from "./e2e/process.ts"' }, []],
    [{ "one.test.ts": 'import type { World } from "./world.ts"', "world.ts": process }, []]
  ])("of %o are %j", (files, expected) => {
    expect(testsOfProcesses(new Map(Object.entries(files)))).toEqual(expected)
  })
})
