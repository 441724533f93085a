/**
 * Drives the built binary with a mix of every family at half of what it takes, and fails where it becomes slower or grows:
 * whole answers, stored and unstored, streams, and tasks with callbacks, each answer checked.
 *
 *   bun run test:long soak [--minutes 60] [--rate REQUESTS A SECOND]
 */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startScript } from "../bench/processes.ts"
import { startGateway } from "../e2e/process.ts"
import { configuration } from "./kinds.ts"
import type { SoakOptions, SoakSeen } from "./load.ts"

const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : Number(process.argv[at + 1])
}
const minutes = option("minutes") ?? 60
const rate = option("rate")
if (!(minutes > 0) || (rate !== undefined && !(rate > 0))) {
  console.error("test:soak [--minutes N] [--rate REQUESTS A SECOND]")
  process.exit(2)
}
const binary = resolve(import.meta.dirname, "../../dist/gateway")
if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")

const key = "soak-key-0123456789abcdefghijklmn"
const started: Array<() => void | Promise<void>> = []
const script = async (path: string) => {
  const one = await startScript(path)
  started.push(one.stop)
  return one
}
try {
  const texts = await script("upstream.ts")
  const outside = await script("../soak/outside.ts")
  const folder = mkdtempSync(join(tmpdir(), "gateway-soak-"))
  writeFileSync(join(folder, "gateway.yaml"), configuration(texts.url, outside.url, key))
  const gateway = await startGateway({
    command: [binary, "serve"],
    folder,
    env: { GATEWAY_CHECK_ANSWERS: "false" },
    toFile: true
  })
  started.push(gateway.dispose)
  const options: SoakOptions = {
    gateway: gateway.url,
    pid: gateway.pid,
    key,
    texts: texts.url,
    textsPid: texts.pid,
    outside: outside.url,
    minutes,
    rate
  }
  const load = Bun.spawn([process.execPath, resolve(import.meta.dirname, "load.ts"), JSON.stringify(options)], {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" }
  })
  const printed = await new Response(load.stdout).text()
  if ((await load.exited) !== 0) throw new Error(`the load ended: ${printed}`)
  const { failures, lines } = JSON.parse(printed) as SoakSeen
  for (const line of lines) console.log(line)
  for (const failure of failures) console.log(`FAILED: ${failure}`)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  for (const stop of started) await stop()
}
