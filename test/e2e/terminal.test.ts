import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"

const main = resolve(import.meta.dirname, "../../src/main.ts")

describe("a gateway that was started in a terminal", () => {
  it("reads its configuration again on SIGHUP, and stops once the terminal is closed", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "gateway-terminal-"))
    writeFileSync(
      join(cwd, "gateway.yaml"),
      "models: { text: { routes: [{ upstream: sandbox, model: sandbox-text }] } }"
    )
    let shown = ""
    const shows = async (text: string) => expect.poll(() => shown.includes(text)).toBe(true)
    const terminal = new Bun.Terminal({ data: (_, bytes) => void (shown += new TextDecoder().decode(bytes)) })
    const gateway = Bun.spawn([process.execPath, main, "serve"], {
      cwd,
      env: { ...process.env, GATEWAY_PORT: "0", GATEWAY_LOG_FORMAT: "json" },
      terminal
    })
    await shows("listens on")
    gateway.kill("SIGHUP")
    await shows("reloaded (SIGHUP)")
    expect(gateway.exitCode).toBeNull()
    terminal.close()
    // The kernel tells the processes of a session's terminal; this one is no session's, and is closed a moment later.
    const hangUp = () => {
      gateway.kill("SIGHUP")
      return gateway.exitCode
    }
    await expect.poll(hangUp, { interval: 2_000 }).toBe(0)
  })
})
