import { chownSync, mkdtempSync, existsSync, readdirSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { freePort } from "../freePort.ts"

/** A Postgres of the tests' own, in a folder of its own. */
export interface PostgresServer {
  /** Of the user's own database; others are made beside it. */
  readonly url: string
  readonly port: number
  /** Ends it as a power cut would, or politely. */
  readonly stop: (how?: "kill" | "fast") => Promise<void>
  /** Starts it again, on the same port and data. */
  readonly start: () => Promise<void>
  readonly dispose: () => Promise<void>
}

/** Debian's directory of the server's programs. */
const debian = "/usr/lib/postgresql"

/** The folder of `initdb` and `postgres`; undefined where they are not installed, or not wanted (`TEST_ENGINE=sqlite`). */
export const postgresPrograms = (): string | undefined => {
  if (process.env["TEST_ENGINE"] === "sqlite") return undefined
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":")
  ]
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))))
}

/** It refuses to run as root: then it runs as the user that its package has made. */
export const runner = (): { readonly uid?: number; readonly gid?: number } => {
  if (userInfo().uid !== 0) return {}
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, "postgres"]).toString()))
  return uid === undefined || gid === undefined ? {} : { uid, gid }
}

/** @param also settings of the server beside those that every one has */
export const startPostgres = async (
  programs: string,
  also: Readonly<Record<string, string>> = {}
): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-postgres-"))
  const as = runner()
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, "data")
  const options = { ...as, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } }
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "gateway", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"],
    { ...options, stdio: "ignore" }
  )
  const port = freePort()
  let server: ChildProcess | undefined
  const start = async () => {
    const settings = {
      port,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      max_connections: 200,
      ...also
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const begun = spawn(join(programs, "postgres"), ["-D", data, ...flags], { ...options, stdio: "ignore" })
    server = begun
    for (;;) {
      if (begun.exitCode !== null) throw new Error(`postgres ended with ${begun.exitCode}`)
      const isReady = await ready(port)
      if (isReady) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const stop = async (how: "kill" | "fast" = "fast") => {
    const running = server
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill(how === "kill" ? "SIGQUIT" : "SIGINT")
    await ended
  }
  await start()
  return {
    url: `postgres://gateway@127.0.0.1:${port}/postgres`,
    port,
    start,
    stop,
    dispose: async () => {
      await stop("kill")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const ready = async (port: number): Promise<boolean> => {
  const sql = new Bun.SQL({ url: `postgres://gateway@127.0.0.1:${port}/postgres`, max: 1, connectionTimeout: 5 })
  try {
    await sql.unsafe("SELECT 1")
    return true
  } catch {
    return false
  } finally {
    await sql.close({ timeout: 0 }).catch(() => {})
  }
}
