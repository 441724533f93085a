import { ownCommand } from "./ownCommand.ts"

/** As many as Bun takes. */
const limit = "65535"

/**
 * Bun's `fetch` runs 256 requests at a time, the rest wait in silence, and the variable that lifts this is read before
 * any of our code runs: so the process replaces itself once, first thing.
 */
export const raiseFetchLimit = () => {
  if (process.env["BUN_CONFIG_MAX_HTTP_REQUESTS"] !== undefined || process.execve === undefined) return
  process.execve(process.execPath, ownCommand(process.argv.slice(2)), {
    ...process.env,
    BUN_CONFIG_MAX_HTTP_REQUESTS: limit
  })
}
