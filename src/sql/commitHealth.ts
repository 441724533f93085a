import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit } from "effect"
import type { Cause } from "effect"
import type { Committer } from "./Committer.ts"
import { errorCode } from "./errorCode.ts"

/**
 * Remembers the outcome of the last commit. Logs when commits begin to fail and when they succeed again.
 *
 * @param outage finds a failure of the database itself; other failures concern one write only
 */
export const makeCommitHealth = (
  outage: (cause: Cause.Cause<unknown>) => SqlError | undefined
): Pick<Committer, "refusal" | "lastAt"> & {
  readonly observe: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
  /** Call it after a commit that succeeded like those before it. */
  readonly succeeded: () => void
} => {
  let refusal: string | undefined
  let lastAt = -Infinity

  const observe = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
    const before = refusal
    if (Exit.isSuccess(exit)) {
      refusal = undefined
      lastAt = performance.now()
      if (before === undefined) return Effect.void
      return Effect.annotateLogs(Effect.logInfo("commits succeed again"), { event: "commit.recovered" })
    }
    const broken = outage(exit.cause)
    if (broken === undefined) return Effect.void
    refusal = reasonOf(broken)
    if (before !== undefined) return Effect.void
    return Effect.annotateLogs(Effect.logError("commits fail", broken), { event: "commit.failed", reason: refusal })
  }

  const succeeded = () => {
    lastAt = performance.now()
  }

  return { observe, succeeded, refusal: () => refusal, lastAt: () => lastAt }
}

/** Contains no SQL and no file name. */
const reasonOf = ({ cause }: SqlError): string => {
  const code = errorCode(cause)
  const known = reasons.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "it refuses them"
  return `the database takes no writes: ${known}${code === "" ? "" : ` (${code})`}`
}

const reasons = [
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_IOERR", "the disk fails, or a limit on the size of files is reached"],
  ["SQLITE_BUSY", "another process has locked it"],
  ["SQLITE_READONLY", "it can only be read"],
  ["SQLITE_CORRUPT", "it is damaged"],
  ["ERR_POSTGRES", "its server can't be reached"],
  ["ECONN", "its server can't be reached"],
  ["08", "its server can't be reached"],
  ["57P", "its server stops or starts"],
  ["53100", "its server's disk is full"],
  ["53", "its server has no room for more"],
  ["25006", "its server can only be read"],
  ["busy", "all connections to it are taken"]
] as const
