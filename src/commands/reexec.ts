import { workerVariable } from "../cluster/workers/workerVariable.ts"
import { ownCommand } from "./ownCommand.ts"

/** Variables that Bun reads at its start. Its `fetch` runs 256 requests at once by default and queues the rest; 65535 is Bun's maximum. */
export const runtimeVariables: Readonly<Record<string, string>> = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" }

/**
 * Restarts this process with `execve` and {@link runtimeVariables}, unless the environment has them. Workers have them from
 * their supervisor. If `execve` fails, the gateway prints a warning and serves without them.
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
