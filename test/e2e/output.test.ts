import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "@effect/vitest"
import { startByShell } from "./shell.ts"
import type { ShellGateway } from "./shell.ts"

const started: Array<ShellGateway> = []
const start = async (script: string) => {
  const gateway = await startByShell({ script })
  started.push(gateway)
  return gateway
}
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.dispose()
})

const dropped = async (gateway: ShellGateway) => {
  const page = await (await fetch(`${gateway.url}/metrics`)).text()
  return Number(/^gateway_log_lines_dropped_total (\d+)$/m.exec(page)?.[1])
}

const answersAll = async (gateway: ShellGateway, count: number, path = "/nothing") => {
  for (let i = 0; i < count; i++) expect((await fetch(gateway.url + path)).status).toBeLessThan(500)
}

const patience = { timeout: 15_000, interval: 100 }

describe("a gateway whose log", () => {
  it("goes to a full disk goes on, and counts what it drops", async () => {
    const gateway = await start(`exec $serve > /dev/full 2> /dev/full`)
    await answersAll(gateway, 20)
    await expect.poll(() => dropped(gateway), patience).toBeGreaterThanOrEqual(20)
    expect(await gateway.ready()).toMatch(/^200/)
    expect(gateway.isAlive()).toBe(true)
  })

  it("lost its reader goes on, and counts what it drops", async () => {
    const gateway = await start(`exec $serve > >(head -n 1 > first-line) 2>&1`)
    await expect.poll(() => readFileSync(join(gateway.folder, "first-line"), "utf8"), patience).toContain("listens on")
    await answersAll(gateway, 20)
    await expect.poll(() => dropped(gateway), patience).toBeGreaterThanOrEqual(20)
    expect(gateway.isAlive()).toBe(true)
  })

  it("has no reader for a while goes on answering, and says what is missing once it is read", async () => {
    const reader = "for i in {1..200}; do [ -e go ] && break; sleep 0.2; done; exec cat > log"
    const gateway = await start(`exec $serve > >(${reader})`)
    const path = `/${"x".repeat(8_000)}`
    await expect
      .poll(async () => {
        await answersAll(gateway, 50, path)
        return dropped(gateway)
      }, patience)
      .toBeGreaterThan(0)
    // The gateway's own messages don't wait for the reader either.
    process.kill(gateway.pid, "SIGHUP")
    expect(await gateway.ready()).toMatch(/^200/)
    const log = join(gateway.folder, "log")
    writeFileSync(join(gateway.folder, "go"), "")
    await expect
      .poll(async () => {
        await answersAll(gateway, 1)
        return existsSync(log) ? readFileSync(log, "utf8") : ""
      }, patience)
      .toMatch(/"event":"lines.dropped","message":"[^"]*","lines":[1-9]/)
    expect(gateway.isAlive()).toBe(true)
  })
})
