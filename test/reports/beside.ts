import { mkdtempSync, mkdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runtimeVariables } from "../../src/commands/reexec.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import type { Seen } from "../guard/bodies/server.ts"
import { lightKey, readers, seedDatabase } from "./seed.ts"
import type { Size } from "./seed.ts"

export const adminKey = "admin-key-0123456789abcdefghijklmnop"

/** A gateway over a seeded database, with a probe in its process. */
export interface Seeded {
  readonly gateway: GatewayProcess
  readonly seen: () => Promise<Seen>
  readonly dispose: () => Promise<void>
}

/** @param database the address of an empty one; a new SQLite file if absent */
export const startSeeded = async (main: string, size: Size, database?: string): Promise<Seeded> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-reports-"))
  mkdirSync(join(folder, "data"))
  await seedDatabase(database ?? `sqlite:${join(folder, "data/gateway.db")}`, size)
  const socket = join(folder, "probe")
  const gateway = await startGateway({
    folder,
    toFile: true,
    command: [process.execPath, "--preload", join(import.meta.dirname, "../guard/bodies/probe.ts"), main, "serve"],
    env: {
      BODIES_PROBE: socket,
      // The process would begin again, and its probe with it.
      ...runtimeVariables,
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_CHECK_ANSWERS: "false",
      ...(database === undefined ? {} : { GATEWAY_DATABASE_URL: database })
    }
  })
  return {
    gateway,
    seen: async () => {
      const answer = await fetch("http://probe/", { unix: socket, signal: AbortSignal.timeout(60_000) })
      return (await answer.json()) as Seen
    },
    dispose: async () => {
      await gateway.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** What a light request waits, in ms. */
export interface Waits {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const light = JSON.stringify({ model: "sandbox-text", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] })
const everyMs = 20

/** Sends a light request each 20 ms until told to stop. */
export const lightRequests = ({ url }: Pick<GatewayProcess, "url">) => {
  const sent: Array<Promise<number>> = []
  const send = async () => {
    const begun = performance.now()
    const answer = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": lightKey, "content-type": "application/json" },
      body: light
    })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`a light request was answered ${answer.status}`)
    return performance.now() - begun
  }
  const timer = setInterval(() => sent.push(send()), everyMs)
  return async (): Promise<Waits> => {
    clearInterval(timer)
    const took = (await Promise.all(sent)).toSorted((one, other) => one - other)
    const at = (part: number) => took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? NaN
    return { p50: at(0.5), p99: at(0.99), most: at(1) }
  }
}

/** Reads a report once, to its end. */
export const readOnce = async ({ url }: Pick<GatewayProcess, "url">, path: string, reader = 0): Promise<number> => {
  const isAdmin = !path.startsWith("/v1/")
  const secret = isAdmin ? adminKey : (readers[reader % readers.length] ?? "")
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.byteLength
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
  return bytes
}

/** Eight readers of a report read it again and again for some time. Returns how often it was read. */
export const read8 = async (gateway: GatewayProcess, path: string, seconds: number): Promise<number> => {
  const endsAt = performance.now() + seconds * 1_000
  let times = 0
  await Promise.all(
    Array.from({ length: 8 }, async (_, reader) => {
      do {
        await readOnce(gateway, path, reader)
        times++
      } while (performance.now() < endsAt)
    })
  )
  return times
}
