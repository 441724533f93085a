import { workerVariable } from "../cluster/workers/workerVariable.ts"
import { ownCommand } from "./ownCommand.ts"

/** What Bun reads before any of our code runs. Its `fetch` runs 256 requests at a time and queues the rest silently: this is Bun's own maximum. */
export const runtimeVariables: Readonly<Record<string, string>> = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" }

/**
 * Replaces this process once, before anything else is loaded, by itself with {@link runtimeVariables}. Variables that the
 * environment has stay. A worker was started with them and must keep its supervisor. Where `execve` fails, the gateway
 * serves without and says so.
 */
export const reexec = () => {
  const missing = Object.entries(runtimeVariables).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0 || process.execve === undefined || process.env[workerVariable] !== undefined) return
  try {
    process.execve(process.execPath, ownCommand(process.argv.slice(2)), {
      ...process.env,
      ...Object.fromEntries(missing)
    })
  } catch (cause) {
    const settings = missing.map((setting) => setting.join("=")).join(" ")
    process.stderr.write(
      `This process can't restart itself (${errorCode(cause)}) and serves without ${settings}: set this in its environment.\n`
    )
  }
}

const errorCode = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "failed"
