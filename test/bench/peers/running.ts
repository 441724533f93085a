import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { isReady } from "../processes.ts"
import { casesOf, dialectOf } from "./System.ts"
import type { Ask, System } from "./System.ts"
import type { Upstream } from "./upstream.ts"

/** The gateways' core, and that of the load and the upstream. */
export const cores = availableParallelism() > 1 ? { system: "0", rest: "1" } : { system: "0", rest: "0" }

/** A command that runs on this core alone; anywhere where there is none. */
export const on = (core: string | undefined, command: ReadonlyArray<string>): Array<string> =>
  core === undefined ? [...command] : ["taskset", "-c", core, ...command]

export interface Running {
  readonly url: string
  readonly pid: number
  /** From its start to its first right answer, in ms. */
  readonly startMs: number
  readonly stop: () => Promise<void>
}

/** One right answer, or what was answered instead. */
const askOnce = async (url: string, ask: Ask, isRight: (body: string) => boolean): Promise<string | true> => {
  try {
    const answer = await fetch(url + ask.path, {
      method: "POST",
      headers: ask.headers,
      body: JSON.stringify(ask.body),
      signal: AbortSignal.timeout(30_000)
    })
    const text = await answer.text()
    return answer.status === 200 && isRight(text) ? true : `${answer.status} ${text.slice(0, 500)}`
  } catch (error) {
    return String(error)
  }
}

/** Starts a system, on one core or free, and waits for its first right answer, and until it says that it is ready. */
export const run = async (
  system: System,
  { isRight, url: upstream }: Pick<Upstream, "url" | "isRight">,
  core: string | undefined
): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-peers-"))
  const port = freePort()
  const { command, env = {} } = system.start({ port, folder, upstream })
  const [first] = casesOf(system.wholes)
  if (first === undefined) throw new Error(`${system.name} has no case`)
  const [what, ask] = first
  const log = Bun.file(join(folder, "output.log"))
  const begun = performance.now()
  const child = Bun.spawn(on(core, command), {
    cwd: folder,
    stdout: log,
    stderr: log,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env }
  })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill()
    const gone = await Promise.race([child.exited.then(() => true), Bun.sleep(5_000).then(() => false)])
    if (!gone) child.kill("SIGKILL")
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
  let said: string | true = ""
  while (performance.now() - begun < (system.startsWithinMs ?? 60_000) && child.exitCode === null) {
    said = await askOnce(url, ask, (body) => isRight(dialectOf(what), body))
    if (said === true) {
      const startMs = performance.now() - begun
      if (system.ready !== undefined) await isReady(url, system.ready)
      return { url, pid: child.pid, startMs, stop }
    }
    await Bun.sleep(5)
  }
  const output = await log.text()
  await stop()
  throw new Error(`${system.name} did not start: ${said}\n${output.slice(-3_000)}`)
}

const freePort = (): number => {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
  const { port } = probe
  probe.stop(true)
  return port
}
