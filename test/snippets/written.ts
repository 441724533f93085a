import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { startGateway } from "../e2e/process.ts"
import { program } from "../e2e/program.ts"

/** What came of a command. */
export interface Ran {
  readonly command: string
  readonly code: number
  readonly out: string
  readonly err: string
}

const adminKey = "admin-key-0123456789abcdefgh"

/** Where imports of a page's programs are found. */
const cache = resolve(import.meta.dirname, "../../node_modules/.cache")

/**
 * A gateway as the pages have it, with a shell beside it in which `gateway` is its command line, `$GATEWAY_KEY` opens it and
 * `http://127.0.0.1:8080` is where it listens; ids that a page only hints at (`key_…`) are those of things that are there.
 */
export const startWritten = async () => {
  const gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey }, toFile: true })
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, "written-"))
  const bin = join(work, "bin")
  mkdirSync(bin)
  writeFileSync(
    join(bin, "gateway"),
    `#!/bin/sh\nexec ${program()
      .map((word) => `'${word}'`)
      .join(" ")} "$@"\n`
  )
  chmodSync(join(bin, "gateway"), 0o755)
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: gateway.folder,
    USER: "operator",
    GATEWAY_KEY: gateway.key,
    // Where commands look for it; a page's is at the port that it has by default.
    GATEWAY_PORT: new URL(gateway.url).port,
    GATEWAY_ADMIN_KEY: adminKey
  }

  const spawn = async (command: string, ...words: readonly [string, ...ReadonlyArray<string>]): Promise<Ran> => {
    const child = Bun.spawn([...words], { cwd: gateway.folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { command, code, out, err }
  }

  const here = (text: string) => text.replaceAll("http://127.0.0.1:8080", gateway.url)

  const shell = (command: string): Promise<Ran> => spawn(command, "bash", "-euo", "pipefail", "-c", here(command))

  /** As `bun file.ts` would, where the packages are installed. */
  const script = async (code: string): Promise<Ran> => {
    const file = join(work, `${crypto.randomUUID()}.ts`)
    writeFileSync(file, here(code))
    return spawn(code, process.execPath, file)
  }

  return {
    gateway,
    shell,
    script,
    dispose: async () => {
      rmSync(work, { recursive: true, force: true })
      await gateway.dispose()
    }
  }
}
