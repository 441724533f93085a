import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "./e2e/process.ts"
import { smoke } from "./e2e/smoke.ts"

/** Runs `dist/gateway` from an empty directory, where nothing of the sources can help it, and asks it a question. */
const binary = resolve(import.meta.dirname, "../dist/gateway")
if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")

const expect = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`the binary fails: ${what}`)
  console.log(`ok  ${what}`)
}

const help = Bun.spawnSync([binary, "--help"], { cwd: mkdtempSync(join(tmpdir(), "gateway-empty-")) })
expect("gateway --help names its commands", help.stdout.toString().includes("serve"))
const licenses = Bun.spawnSync([binary, "licenses"], { cwd: mkdtempSync(join(tmpdir(), "gateway-empty-")) })
expect("gateway licenses names what is in it", /^effect +\S+ +MIT$/m.test(licenses.stdout.toString()))

const optioned = await startGateway({ command: [binary, "serve"], env: { BUN_OPTIONS: "--smol" } })
expect("Bun's own options in the environment are no words of its user", optioned.url !== "")
await optioned.dispose()

const begun = performance.now()
const gateway = await startGateway({ command: [binary] })
try {
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(`the first answer comes ${Math.round(performance.now() - begun)} ms after the start`, ready.status === 200)
  await smoke(gateway.url, gateway.key, expect)
  gateway.signal("SIGTERM")
  expect("SIGTERM ends it with 0", (await gateway.exited) === 0)
} finally {
  await gateway.dispose()
}
