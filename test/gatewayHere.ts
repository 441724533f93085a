import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Settings } from "../src/config/Settings.ts"
import { TelemetryLive } from "../src/commands/telemetry.ts"
import * as Gateway from "../src/Gateway.ts"
import { LoggingLive } from "../src/Parts.ts"
import { AccessLog } from "../src/telemetry/AccessLog.ts"
import { LogTail } from "../src/telemetry/LogTail.ts"
import { LogTo } from "../src/telemetry/OwnLines.ts"
import { StandardOutput } from "../src/telemetry/StandardOutput.ts"
import { testKey } from "./e2e/process.ts"

/** A gateway in the test's own process, on a free port and an empty directory. */
export interface GatewayHere {
  readonly url: string
  /** The operators' address: the same without `server.admin`. */
  readonly adminUrl: string
  readonly key: string
  /** Its directory; the database is `data/gateway.db` below it. */
  readonly folder: string
  /** Everything it has logged so far. */
  readonly output: () => string
  /** Ends what runs there and removes its directory. */
  readonly dispose: () => Promise<void>
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A directory with a `gateway.yaml`. */
  readonly folder?: string
}

/**
 * Starts a gateway of the shipped parts and waits until it listens: the twin of `startGateway` of `e2e/process.ts`, at a
 * third of its processor time. Of a process it lacks the signals, the memory, the greeting and the commands' view of it.
 */
export const startGateway = async ({ env = {}, folder = newFolder() }: StartOptions = {}): Promise<GatewayHere> => {
  let printed = ""
  const output = Layer.succeed(
    StandardOutput,
    StandardOutput.make({
      write: (text) => void (printed += text),
      say: (text) => void (printed += `${text}\n`),
      dropped: () => 0,
      tail: new LogTail()
    })
  )
  const settings = Settings.from(variablesOf(folder, env))
  const layer = Gateway.layer({
    settings,
    accessLog: AccessLog.ToOutput.pipe(Layer.provide(Layer.merge(LoggingLive, output)))
  }).pipe(
    Layer.provide(Layer.provide(TelemetryLive, Layer.merge(settings, output))),
    Layer.provide(Layer.provide(LogTo, Layer.merge(Layer.provide(LoggingLive, settings), output)))
  )
  const scope = Effect.runSync(Scope.make())
  const built = Effect.withTracerEnabled(Layer.buildWithScope(layer, scope), false)
  const { admin, url } = Context.get(await Effect.runPromise(built), Gateway.Address)
  return {
    url: url.href.replace(/\/$/, ""),
    adminUrl: admin.href.replace(/\/$/, ""),
    key: env["GATEWAY_BOOTSTRAP_KEY"] ?? testKey,
    folder,
    output: () => printed,
    dispose: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const newFolder = () => mkdtempSync(join(tmpdir(), "gateway-here-"))

/** What a process in that folder would have in its environment; paths are absolute, as this process is elsewhere. */
const variablesOf = (folder: string, env: Readonly<Record<string, string>>) => {
  mkdirSync(join(folder, "data"), { recursive: true })
  return {
    GATEWAY_PORT: "0",
    GATEWAY_BOOTSTRAP_KEY: testKey,
    GATEWAY_CHECK_ANSWERS: "true",
    GATEWAY_LEAVE_SECONDS: "0",
    GATEWAY_DRAIN_SECONDS: "0",
    GATEWAY_LOG_FORMAT: "json",
    ...placedIn(folder, env)
  }
}

/** Variables with the paths that a process in that folder would find by itself. */
export const placedIn = (folder: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const file = resolve(folder, env["GATEWAY_CONFIG"] ?? "gateway.yaml")
  const isThere = env["GATEWAY_CONFIG"] !== "postgres" && existsSync(file)
  const hasDatabase = isThere && /^"?database"?:|"database":/m.test(readFileSync(file, "utf8"))
  return {
    GATEWAY_DATA_DIRECTORY: join(folder, "data"),
    ...(!hasDatabase && { GATEWAY_DATABASE_URL: `sqlite:${join(folder, "data", "gateway.db")}` }),
    ...env,
    ...(isThere && { GATEWAY_CONFIG: file })
  }
}
