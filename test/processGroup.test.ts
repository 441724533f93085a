import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const module = join(import.meta.dirname, "processGroup.ts")

/** Prints its process id, and ends only when it is killed. */
const stubborn = `trap "" TERM; echo $$; while :; do sleep 0.05; done`

const program = (graceMs: number) => `
  import { runGroup } from ${JSON.stringify(module)}
  process.exit(await runGroup(["sh", "-c", ${JSON.stringify(`sh -c '${stubborn}' & sleep 1000`)}], { graceMs: ${graceMs} }))
`

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

it.each([
  { signal: "SIGTERM", code: 143 },
  { signal: "SIGINT", code: 130 }
] as const)("a group ends with what it started, when its parent is told to by $signal", async ({ code, signal }) => {
  const parent = Bun.spawn([process.execPath, "-e", program(100)], { stdout: "pipe" })
  const { value } = await parent.stdout.getReader().read()
  const grandchild = Number(new TextDecoder().decode(value))
  expect(isAlive(grandchild)).toBe(true)
  parent.kill(signal)
  expect(await parent.exited).toBe(code)
  await expect.poll(() => isAlive(grandchild)).toBe(false)
})

it("a group's exit code is that of its command", async () => {
  const failing = `import { runGroup } from ${JSON.stringify(module)}; process.exit(await runGroup(["sh", "-c", "exit 3"]))`
  expect(await Bun.spawn([process.execPath, "-e", failing]).exited).toBe(3)
})
