import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"

const module = join(import.meta.dirname, "fastFolder.ts")

/** The folder that a run in this environment chooses. */
const chosen = (env: Readonly<Record<string, string>>): string => {
  const program = `import { fastFolder } from ${JSON.stringify(module)}; process.stdout.write(fastFolder())`
  return Bun.spawnSync([process.execPath, "-e", program], { env }).stdout.toString()
}

it("a run's files are where TMPDIR says, otherwise in memory or where temporary files are", () => {
  expect(chosen({ TMPDIR: tmpdir() })).toBe(tmpdir())
  expect(chosen({})).toMatch(/^\/(?:dev\/shm|tmp)$/)
})
