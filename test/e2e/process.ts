import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { program } from "./program.ts"
import { threadsOf } from "./stuck.ts"

/** A gateway in a process of its own, on a free port and an empty directory. */
export interface GatewayProcess {
  readonly url: string
  /** The operators' address: the same without `server.admin`. */
  readonly adminUrl: string
  readonly key: string
  /** Its working directory; the database is `data/gateway.db` below it. */
  readonly folder: string
  readonly pid: number
  /** Everything it has printed so far. */
  readonly output: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Promise<number>
  /** Ends it (SIGKILL if it must) and removes its directory. */
  readonly dispose: () => Promise<void>
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A directory of an earlier process, to start again where it ended. */
  readonly folder?: string
  /** The program and its arguments. */
  readonly command?: ReadonlyArray<string>
  /** Print to `gateway.log` in its folder: reading its output would cost a benchmark one core. */
  readonly toFile?: boolean
}

/** Before a test's own limit, whose message has nothing of the process. A start takes a second or, on a busy machine, ten. */
const startsWithinMs = 120_000

export const testKey = "test-key-0123456789abcdefghijklmnop"

/** Starts a gateway and waits until it listens. Answers are checked against the contract before they leave; it stops listening at once when told to stop. */
export const startGateway = async (options: StartOptions = {}): Promise<GatewayProcess> => {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "gateway-e2e-"))
  const log = options.toFile === true ? join(folder, "gateway.log") : undefined
  // The address of the process before stands in them.
  if (log !== undefined) for (const file of [log, `${log}.errors`]) rmSync(file, { force: true })
  const child = Bun.spawn([...(options.command ?? [...program(), "serve"])], {
    cwd: folder,
    stdout: log === undefined ? "pipe" : Bun.file(log),
    stderr: log === undefined ? "pipe" : Bun.file(`${log}.errors`),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GATEWAY_PORT: "0",
      GATEWAY_BOOTSTRAP_KEY: testKey,
      GATEWAY_CHECK_ANSWERS: "true",
      GATEWAY_LEAVE_SECONDS: "0",
      ...shortLived(),
      ...options.env
    }
  })
  let printed = ""
  const output = () => (log === undefined ? printed : `${read(log)}${read(`${log}.errors`)}`)
  const listening = Promise.withResolvers<string>()
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      printed += decoder.decode(chunk, { stream: true })
      const url = /listens on (\S+)\s/.exec(printed)?.[1]
      if (url !== undefined) listening.resolve(url)
    }
  }
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof ReadableStream) void gather(stream)
  void child.exited.then((code) => listening.reject(new Error(`the gateway exited with ${code}:\n${output()}`)))
  const looking = setInterval(() => {
    const address = log === undefined ? undefined : /listens on (\S+)\s/.exec(output())?.[1]
    if (address !== undefined) listening.resolve(address)
  }, 50)
  void listening.promise.catch(() => {}).finally(() => clearInterval(looking))
  const givenUp = setTimeout(() => {
    const seconds = startsWithinMs / 1_000
    listening.reject(new Error(`the gateway does not listen after ${seconds} s:\n${output()}\n${threadsOf(child.pid)}`))
    child.kill("SIGKILL")
  }, startsWithinMs)
  void listening.promise.catch(() => {}).finally(() => clearTimeout(givenUp))
  const url = await listening.promise
  return {
    url,
    adminUrl: /^For operators alone: (\S+)/m.exec(output())?.[1] ?? url,
    key: options.env?.["GATEWAY_BOOTSTRAP_KEY"] ?? testKey,
    folder,
    pid: child.pid,
    output,
    signal: (signal) => child.kill(signal),
    exited: child.exited,
    dispose: async () => {
      child.kill("SIGKILL")
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * A process of the suite lives for seconds. The optimizing compiler takes a third of the CPU time of its start, and would
 * only pay later. What measures a gateway does not set `TEST_SHORT_LIVED`.
 */
export const shortLived = (): Readonly<Record<string, string>> =>
  process.env["TEST_SHORT_LIVED"] === undefined ? {} : { BUN_JSC_useDFGJIT: "0" }

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")
