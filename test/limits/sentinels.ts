import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RedisClient } from "bun"
import { freePort } from "../freePort.ts"
import { redisProgram } from "./redisServer.ts"

/** A password that an address can't hold as it is. */
export const redisPassword = "p@ss:w/rd?%"

/** A master, a replica and three sentinels, with passwords. */
export interface SentinelledRedis {
  readonly hosts: readonly [string, ...Array<string>]
  readonly ports: ReadonlyArray<number>
  /** The port that the sentinels call the master's. */
  readonly master: () => Promise<number>
  /** A command to any of them; undefined if it fails. */
  readonly send: (port: number, command: string, values: Array<string>) => Promise<unknown>
  readonly kill: (port: number) => Promise<void>
  readonly failover: () => Promise<unknown>
  readonly dispose: () => Promise<void>
}

interface SentinelOptions {
  /** Paths: they speak TLS alone. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string }
  /** Lines of further users, of Redis and of the sentinels. */
  readonly users?: { readonly redis: string; readonly sentinels: string }
}

export const startSentinels = async ({ tls, users }: SentinelOptions = {}): Promise<SentinelledRedis> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-sentinels-"))
  const children = new Map<number, ReturnType<typeof Bun.spawn>>()
  const clientAt = (port: number) =>
    new RedisClient(
      `redis${tls === undefined ? "" : "s"}://default:${encodeURIComponent(redisPassword)}@127.0.0.1:${port}`,
      {
        autoReconnect: false,
        enableOfflineQueue: false,
        ...(tls && { tls: { ca: Bun.file(tls.ca) } })
      }
    )
  const send = async (port: number, command: string, values: Array<string>): Promise<unknown> => {
    const client = clientAt(port)
    try {
      await client.connect()
      const answer: unknown = await client.send(command, values)
      return answer
    } catch {
      return undefined
    } finally {
      client.close()
    }
  }
  const start = async (kind: string, lines: ReadonlyArray<string>): Promise<number> => {
    const port = freePort()
    const file = join(folder, `${port}.conf`)
    const quoted = `"${redisPassword}"`
    const ports =
      tls === undefined
        ? [`port ${port}`]
        : [
            "port 0",
            `tls-port ${port}`,
            `tls-cert-file ${tls.cert}`,
            `tls-key-file ${tls.key}`,
            `tls-ca-cert-file ${tls.ca}`,
            "tls-auth-clients no",
            "tls-replication yes"
          ]
    const all = [...ports, "bind 127.0.0.1", `dir ${folder}`, `requirepass ${quoted}`, ...lines]
    writeFileSync(file, `${all.join("\n")}\n`)
    const mode = kind === "sentinel" ? ["--sentinel"] : []
    children.set(port, Bun.spawn([redisProgram ?? "", file, ...mode], { stdout: "ignore", stderr: "ignore" }))
    while ((await send(port, "PING", [])) === undefined) await Bun.sleep(20)
    return port
  }
  const usersOf = (line: string | undefined) => (line === undefined ? [] : [line])
  const stored = [...usersOf(users?.redis), `masterauth "${redisPassword}"`, 'save ""', "repl-diskless-sync-delay 0"]
  const first = await start("redis", stored)
  const second = await start("redis", [...stored, `replicaof 127.0.0.1 ${first}`])
  const watching = [
    ...usersOf(users?.sentinels),
    `sentinel monitor limits 127.0.0.1 ${first} 2`,
    `sentinel auth-pass limits "${redisPassword}"`,
    `sentinel sentinel-pass "${redisPassword}"`,
    "sentinel down-after-milliseconds limits 1000",
    "sentinel failover-timeout limits 3000"
  ]
  const sentinels = [
    await start("sentinel", watching),
    await start("sentinel", watching),
    await start("sentinel", watching)
  ]
  const [asked = 0] = sentinels
  const infoOf = async () => {
    const answer = await send(asked, "INFO", ["sentinel"])
    return String(answer)
  }
  // A failover needs a replica and a majority.
  while (!/slaves=1,sentinels=3/.test(await infoOf())) await Bun.sleep(50)
  const kill = async (port: number) => {
    children.get(port)?.kill("SIGKILL")
    await children.get(port)?.exited
  }
  return {
    hosts: ["127.0.0.1:1", ...sentinels.map((port) => `127.0.0.1:${port}`)],
    ports: [first, second],
    master: async () => {
      const answer = await send(asked, "SENTINEL", ["get-master-addr-by-name", "limits"])
      return Array.isArray(answer) ? Number(answer[1]) : 0
    },
    send,
    kill,
    failover: () => send(asked, "SENTINEL", ["failover", "limits"]),
    dispose: async () => {
      for (const port of children.keys()) await kill(port)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
