import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const version = "5.2.5"
/** Outside of the repository, so that every checkout and every run finds it. */
const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "model-gateway", `moto-${version}`)
const installed = join(folder, "installed")

/**
 * The program of `moto`, a third-party S3 server; put into a folder of its own if it is not there yet, by
 * one process at a time. Undefined where that can't be: without python3, its venv, or PyPI.
 */
export const motoProgram = async (): Promise<string | undefined> => {
  const python = Bun.which("python3")
  const program = join(folder, "bin", "moto_server")
  if (existsSync(installed)) return program
  if (python === null) return undefined
  const lock = `${folder}.lock`
  mkdirSync(join(folder, ".."), { recursive: true })
  for (let waited = 0; waited < 1_500 && !existsSync(installed); waited++) {
    if (!isMade(lock)) {
      await Bun.sleep(100)
      continue
    }
    try {
      for (const command of [
        [python, "-m", "venv", "--clear", folder],
        [
          join(folder, "bin", "pip"),
          "install",
          "--quiet",
          "--retries",
          "1",
          "--disable-pip-version-check",
          `moto[server]==${version}`
        ]
      ]) {
        if (Bun.spawnSync(command, { stdout: "ignore", stderr: "ignore" }).exitCode !== 0) return undefined
      }
      writeFileSync(installed, version)
    } finally {
      rmdirSync(lock)
    }
  }
  return existsSync(installed) ? program : undefined
}

/** One that a dead process left is free after some minutes. */
const isMade = (path: string): boolean => {
  try {
    if (existsSync(path) && Date.now() - statSync(path).mtimeMs > 300_000) rmdirSync(path)
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}

if (import.meta.main) process.exit((await motoProgram()) === undefined ? 1 : 0)
