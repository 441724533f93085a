import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { shortLived, testKey } from "./process.ts"
import { program } from "./program.ts"
import { freePort } from "../freePort.ts"

/** A gateway that a shell started, somewhere it has it hard. */
export interface ShellGateway {
  readonly url: string
  readonly pid: number
  /** Its working directory, as seen from here. */
  readonly folder: string
  /** `/readyz`: status and body in one line. */
  readonly ready: () => Promise<string>
  readonly isAlive: () => boolean
  readonly post: (path: string, body: unknown) => Promise<Response>
  readonly dispose: () => Promise<void>
}

interface Options {
  /** The script, run in the working directory; `$serve` starts the gateway. */
  readonly script: string
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a gateway by a shell script on a port of its own, and waits until it answers. */
export const startByShell = async ({ config, env, script }: Options): Promise<ShellGateway> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-shell-"))
  if (config !== undefined) writeFileSync(join(folder, "gateway.yaml"), config)
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      serve: [...program(), "serve"].join(" "),
      GATEWAY_PORT: String(port),
      GATEWAY_BOOTSTRAP_KEY: testKey,
      GATEWAY_METRICS: "true",
      ...shortLived(),
      ...env
    }
  })
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const answers = () =>
    fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false
    )
  const deadline = Date.now() + 60_000
  while (!(await answers())) {
    if (!isAlive() || Date.now() > deadline) throw new Error(`it never answered; exit code ${child.exitCode}`)
    await Bun.sleep(50)
  }
  return {
    url,
    pid: child.pid,
    folder,
    isAlive,
    ready: async () => {
      if (!isAlive()) throw new Error(`the gateway ended: exit code ${child.exitCode}, signal ${child.signalCode}`)
      const response = await fetch(`${url}/readyz`)
      return `${response.status} ${await response.text()}`
    },
    post: (path, body) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      }),
    dispose: async () => {
      child.kill("SIGKILL")
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
