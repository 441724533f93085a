import { workerVariable } from "../workers/workerVariable.ts"
import { ownCommand } from "./ownCommand.ts"

/** The release in whose engine this option was measured: another may not know it, and then does not start. */
const measured = "1.4.5"

/** What Bun reads before any of our code runs, for a process that serves. */
export const forRuntime = (version: string): Readonly<Record<string, string>> => ({
  // Its `fetch` runs 256 requests at a time, the rest wait in silence: as many as Bun takes.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  // A full collection lets go of compiled code that did not run for three times its tier's age (15, 20 s), and what is
  // needed now and then is compiled over and over: 180 ages keep it for an hour (docs/lab-notes.md).
  ...(version === measured ? { BUN_JSC_codeBlockAgingLeaseMultiplier: "180" } : {})
})

/**
 * Replaces the process once, first thing, by itself with these variables. What the environment says of them stands. A
 * worker has been begun with its own, and would lose its supervisor. Where it can't be done it goes without, and says so.
 */
export const beginAgain = () => {
  const missing = Object.entries(forRuntime(Bun.version)).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0 || process.execve === undefined || process.env[workerVariable] !== undefined) return
  try {
    process.execve(process.execPath, ownCommand(process.argv.slice(2)), {
      ...process.env,
      ...Object.fromEntries(missing)
    })
  } catch (cause) {
    const settings = missing.map((setting) => setting.join("=")).join(" ")
    process.stderr.write(
      `This process can't begin itself again (${errorCode(cause)}), and serves without ${settings}: set these where it is started.\n`
    )
  }
}

/** How long the binary has to say its release, in ms: nothing else goes on meanwhile. */
const longestAnswer = 5_000

/**
 * The release of Bun that a process begun now would be of: this one's, or the one of a binary that was installed since.
 * Empty where it can't be told.
 */
export const releaseOnDisk = (): string => {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith("BUN_"))
  try {
    const { stdout } = Bun.spawnSync([process.execPath, "--version"], {
      env: { ...Object.fromEntries(foreign), BUN_BE_BUN: "1" },
      stderr: "ignore",
      timeout: longestAnswer,
      killSignal: "SIGKILL"
    })
    return stdout.toString().trim()
  } catch {
    return ""
  }
}

/**
 * This process's environment for one that it begins, of that release, with what Bun reads there: an engine does not start
 * with an option it does not know.
 */
export const environmentFor = (release: string): NodeJS.ProcessEnv => {
  const ours = forRuntime(Bun.version)
  const others = Object.entries(process.env).filter(([name, value]) => ours[name] !== value)
  return { ...forRuntime(release), ...Object.fromEntries(others) }
}

const errorCode = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "failed"
