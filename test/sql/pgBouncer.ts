import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawn } from "node:child_process"
import { runner } from "./postgresServer.ts"
import { freePort } from "../freePort.ts"

/** A pooler in transaction mode before a Postgres: each transaction of a client may have another connection. */
export interface PgBouncer {
  readonly port: number
  readonly dispose: () => Promise<void>
}

/** Where Debian puts it; undefined where it is not installed. */
export const pgBouncerProgram: string | undefined = [
  "/usr/sbin/pgbouncer",
  ...(process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "pgbouncer"))
].find((path) => existsSync(path))

/** @param port of the server on this machine */
export const startPgBouncer = async (server: number): Promise<PgBouncer> => {
  const as = runner()
  const folder = mkdtempSync(join(tmpdir(), "gateway-pgbouncer-"))
  const port = freePort()
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(join(folder, "users.txt"), `"gateway" ""\n`)
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`
  )
  if (as.uid !== undefined && as.gid !== undefined) for (const path of [folder, file]) chownSync(path, as.uid, as.gid)
  const child = spawn(pgBouncerProgram ?? "", [file], { ...as, cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (data: Buffer) => {
    said += data.toString()
  })
  while (!said.includes("process up")) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {
    port,
    dispose: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
