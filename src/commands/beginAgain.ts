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

/** Replaces the process once, first thing, by itself with these variables. What the environment says of them stands. */
export const beginAgain = () => {
  const missing = Object.entries(forRuntime(Bun.version)).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0 || process.execve === undefined) return
  process.execve(process.execPath, ownCommand(process.argv.slice(2)), {
    ...process.env,
    ...Object.fromEntries(missing)
  })
}
