import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { environmentFor, forRuntime, releaseOnDisk } from "../../src/commands/beginAgain.ts"
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
  // A newer release: measure it (docs/lab-notes.md, "Code that is compiled once"), then name it in `beginAgain.ts`.
  it("has the engine's option in the release that is used here, and in no other", () => {
    expect(Object.keys(forRuntime(Bun.version))).toEqual([
      "BUN_CONFIG_MAX_HTTP_REQUESTS",
      "BUN_JSC_codeBlockAgingLeaseMultiplier"
    ])
    expect(Object.keys(forRuntime("0.0.0"))).toEqual(["BUN_CONFIG_MAX_HTTP_REQUESTS"])
  })

  it("is set in the process that serves", async () => {
    const environment = await environmentOf({})
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("65535")
    expect(environment.get("BUN_JSC_codeBlockAgingLeaseMultiplier")).toBe("180")
  })

  it("stands as the environment has it", async () => {
    const environment = await environmentOf({ BUN_CONFIG_MAX_HTTP_REQUESTS: "300" })
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("300")
    expect(environment.get("BUN_JSC_codeBlockAgingLeaseMultiplier")).toBe("180")
  })

  it("is done without where the process can't begin again, which it says", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-alone-"))
    const runtime = join(folder, "bun")
    copyFileSync(process.execPath, runtime)
    const gone = join(folder, "gone.ts")
    writeFileSync(gone, `require("node:fs").unlinkSync(process.execPath)`)
    const gateway = await startGateway({ command: [runtime, "--preload", gone, main, "serve"] })
    started.push(gateway)
    expect(gateway.output()).toMatch(/can't begin itself again \(ENOENT\).* BUN_CONFIG_MAX_HTTP_REQUESTS=65535 /)
    rmSync(folder, { recursive: true })
  })

  it("is set once where Bun's own options come from the environment, and where it went to another folder first", async () => {
    const command = [process.execPath, "--cwd", ".", main, "serve"]
    const gateway = await startGateway({ command, env: { BUN_OPTIONS: "--smol" } })
    started.push(gateway)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  })

  it("is for a process of another release what that one knows", () => {
    expect(releaseOnDisk()).toBe(Bun.version)
    const own = { PATH: "/bin", BUN_CONFIG_MAX_HTTP_REQUESTS: "300" }
    const before = { ...process.env }
    try {
      Object.assign(process.env, forRuntime(Bun.version), own)
      expect(environmentFor(Bun.version)).toEqual({ ...before, ...forRuntime(Bun.version), ...own })
      expect(environmentFor("9.9.9")).toEqual({ ...before, ...own })
    } finally {
      for (const name of Object.keys(forRuntime(Bun.version))) delete process.env[name]
      Object.assign(process.env, before)
    }
  })
})

const main = resolve(import.meta.dirname, "../../src/main.ts")
