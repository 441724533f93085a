import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { freePort } from "../freePort.ts"

/** A server of the bench in a process of its own. */
export interface Started {
  readonly url: string
  readonly pid: number
  readonly stop: () => void
}

const here = import.meta.dirname

/** Starts a script of this folder, which prints where it listens. */
export const startScript = async (script: string, ...args: ReadonlyArray<string>): Promise<Started> => {
  const child = Bun.spawn([process.execPath, resolve(here, script), ...args], { stdout: "pipe", stderr: "inherit" })
  let printed = ""
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk)
    const url = /listens on (\S+)/.exec(printed)?.[1]
    if (url !== undefined) return { url, pid: child.pid, stop: () => child.kill() }
  }
  throw new Error(`${script} did not start: ${printed}`)
}

/**
 * Portkey's gateway on Node, where it is installed: in `PORTKEY_DIR`, a directory with `@portkey-ai/gateway` in its
 * `node_modules`.
 */
export const startPortkey = async (): Promise<Started | undefined> => {
  const directory = process.env["PORTKEY_DIR"]
  if (directory === undefined) return undefined
  const program = join(directory, "node_modules/@portkey-ai/gateway/build/start-server.js")
  if (!existsSync(program)) throw new Error(`PORTKEY_DIR: there is no ${program}`)
  const port = freePort()
  const child = Bun.spawn(["node", program, "--headless", `--port=${port}`], { stdout: "ignore", stderr: "ignore" })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        (response) => response.ok,
        () => false
      )
    ) {
      return { url, pid: child.pid, stop: () => child.kill() }
    }
    await Bun.sleep(100)
  }
  throw new Error("Portkey's gateway did not start")
}

/** Waits until a gateway says that it is ready. */
export const isReady = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 200; tries++) {
    if ((await fetch(`${url}/readyz`)).ok) return
    await Bun.sleep(50)
  }
  throw new Error(`${url} did not become ready`)
}

/** Resident memory in bytes. */
export const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024

/** Those of them that no file stands behind: what a process has allocated, without the pages of its program. */
export const anonymousBytes = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024

/** The process's CPU so far, all threads, in µs. */
export const cpuMicros = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  // `utime` and `stime`, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
