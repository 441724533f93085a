import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ProgramName } from "./programs.ts"
import { commandOf } from "./programs.ts"

export const note = "the note says 4711"

export interface Folder {
  readonly home: string
  readonly work: string
  readonly dispose: () => void
}

/** An empty home, and an empty folder with a note to be read and what else a program finds there (`work/…`, `home/…`). */
export const makeFolder = (files: Readonly<Record<string, string>> = {}): Folder => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-agent-"))
  const [home, work] = [join(folder, "home"), join(folder, "work")]
  for (const [path, text] of Object.entries({ "home/.keep": "", "work/note.txt": `${note}\n`, ...files })) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { home, work, dispose: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Ran {
  /** -1 where it did not end by itself. */
  readonly code: number
  /** Both streams, in the order in which they were read. */
  readonly output: string
}

const usualLimitMs = 180_000

/** Runs a program where it reaches nothing but this machine, as far as it honours a proxy. */
export const runProgram = async (
  name: ProgramName,
  options: {
    readonly folder: Folder
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
    readonly limitMs?: number
  }
): Promise<Ran> => {
  const { args, env, folder, limitMs = usualLimitMs } = options
  const nowhere = "http://127.0.0.1:9"
  const child = Bun.spawn([...(await commandOf(name)), ...args], {
    cwd: folder.work,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limitMs,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder.home,
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: "127.0.0.1,localhost",
      ...env
    }
  })
  let output = ""
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
  }
  await Promise.all([gather(child.stdout), gather(child.stderr), child.exited])
  return { code: child.exitCode ?? -1, output }
}
