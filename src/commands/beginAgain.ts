import { workerVariable } from "../workers/workerVariable.ts"
import { ownCommand } from "./ownCommand.ts"

/** The release in whose engine this option was measured: another may not know it, and then does not start. */
const measured = "1.4.5"

/** What Bun reads before any of our code runs, for a process that serves. */
export const forRuntime = (version: string): Readonly<Record<string, string>> => ({
  // Its `fetch` runs 256 requests at a time, the rest wait in silence: as many as Bun takes.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  // A full collection lets go of compiled code that did not run for three times its tier's age (15, 20 s), and what is
  // needed now and then is compiled over and over: sixty ages keep it (docs/lab-notes.md).
  ...(version === measured ? { BUN_JSC_codeBlockAgingLeaseMultiplier: "60" } : {})
})

/**
 * Replaces the process once, first thing, by itself with these variables. What the environment says of them stands. A
 * worker has been begun with its own, and would lose its supervisor.
 */
export const beginAgain = () => {
  const missing = Object.entries(forRuntime(Bun.version)).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0 || process.execve === undefined || process.env[workerVariable] !== undefined) return
  process.execve(process.execPath, ownCommand(process.argv.slice(2)), {
    ...process.env,
    ...Object.fromEntries(missing)
  })
}

/** The release of Bun that a process begun now would be of: this one's, or the one of a binary that was installed since. */
export const releaseOnDisk = (): string => {
  const { stdout } = Bun.spawnSync([process.execPath, "--version"], {
    env: { PATH: process.env["PATH"] ?? "", BUN_BE_BUN: "1" },
    stderr: "ignore"
  })
  return stdout.toString().trim()
}

/**
 * This process's environment for one that it begins, of that release: what is set here for the engine of another goes, as
 * an engine does not start with an option it does not know.
 */
export const environmentFor = (release: string): NodeJS.ProcessEnv => {
  const ours = forRuntime(Bun.version)
  const theirs = forRuntime(release)
  const isTheirs = ([name, value]: [string, string | undefined]) => ours[name] !== value || theirs[name] === value
  return Object.fromEntries(Object.entries(process.env).filter(isTheirs))
}
