import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const started: Array<GatewayProcess> = []
afterAll(() => Promise.all(started.map(({ dispose }) => dispose())))

/** The environment of a gateway that serves, by name. */
const environmentOf = async (env: Readonly<Record<string, string>>) => {
  const gateway = await startGateway({ env })
  started.push(gateway)
  const pairs = readFileSync(`/proc/${gateway.pid}/environ`, "utf8").split("\0").filter(Boolean)
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const))
}

describe("what the runtime reads before our code runs", () => {
  it("is set in the process that serves", async () => {
    const environment = await environmentOf({})
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("65535")
  })

  it("stands as the environment has it", async () => {
    const environment = await environmentOf({ BUN_CONFIG_MAX_HTTP_REQUESTS: "300" })
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("300")
  })

  it("is done without where the process can't begin again, which it says", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-alone-"))
    const runtime = join(folder, "bun")
    copyFileSync(process.execPath, runtime)
    const gone = join(folder, "gone.ts")
    writeFileSync(gone, `require("node:fs").unlinkSync(process.execPath)`)
    const gateway = await startGateway({ command: [runtime, "--preload", gone, main, "serve"] })
    started.push(gateway)
    expect(gateway.output()).toMatch(/can't restart itself \(ENOENT\).* BUN_CONFIG_MAX_HTTP_REQUESTS=65535:/)
    rmSync(folder, { recursive: true })
  })

  it("is set once where Bun's own options come from the environment, and where it went to another folder first", async () => {
    const command = [process.execPath, "--cwd", ".", main, "serve"]
    const gateway = await startGateway({ command, env: { BUN_OPTIONS: "--smol" } })
    started.push(gateway)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  })
})

const main = resolve(import.meta.dirname, "../../src/main.ts")
