import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RedisClient } from "bun"
import { freePort } from "../freePort.ts"

/** A Redis of a test's own. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** A client beside those that are tested. */
  readonly client: RedisClient
  readonly signal: (signal: NodeJS.Signals) => void
  /** Ends it as a power cut would. */
  readonly kill: () => Promise<void>
  /** Begins it anew, on the same port and without what it had. */
  readonly start: () => Promise<void>
  readonly dispose: () => Promise<void>
}

/** Redis, or Valkey, which speaks the same; undefined where neither is installed. */
export const redisProgram: string | undefined = (process.env["PATH"] ?? "")
  .split(":")
  .flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")])
  .find((path) => existsSync(path))

/** Says so, once a file, where tests are skipped for want of one. */
export const withoutRedis = (file: string): boolean => {
  if (redisProgram === undefined) console.log(`skipped: ${file}, there is no redis-server here`)
  return redisProgram === undefined
}

export const startRedis = async (): Promise<RedisServer> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-redis-"))
  const port = freePort()
  let child: ReturnType<typeof Bun.spawn>
  const start = async () => {
    child = Bun.spawn(
      [redisProgram ?? "", "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      { cwd: folder, stdout: "ignore", stderr: "ignore" }
    )
    for (;;) {
      const probe = new RedisClient(`redis://127.0.0.1:${port}`, { autoReconnect: false })
      const answered = await probe.send("PING", []).then(
        () => true,
        () => false
      )
      probe.close()
      if (answered) return
      await Bun.sleep(10)
    }
  }
  await start()
  const client = new RedisClient(`redis://127.0.0.1:${port}`, { maxRetries: 1_000_000 })
  const kill = async () => {
    child.kill("SIGKILL")
    await child.exited
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    signal: (signal) => child.kill(signal),
    kill,
    start,
    dispose: async () => {
      client.close()
      await kill()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
