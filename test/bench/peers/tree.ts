import { readdirSync, readFileSync } from "node:fs"
import { residentBytes } from "../processes.ts"

/** A process and all that it started, by their ids. */
const family = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
    )
    return [pid, ...children.flatMap(family)]
  } catch {
    // It ended while it was looked at.
    return []
  }
}

const orZero = (read: () => number): number => {
  try {
    return read()
  } catch {
    return 0
  }
}

/** Processor time so far, in seconds, of a process, its children, and those that it has seen end. */
export const cpuSeconds = (pid: number): number =>
  family(pid).reduce(
    (sum, one) =>
      sum +
      orZero(() => {
        const fields = readFileSync(`/proc/${one}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
        // `utime`, `stime`, `cutime`, `cstime`, in hundredths of a second.
        return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / 100
      }),
    0
  )

/** Resident memory of a process and its children, in MB; what they share counts for each. */
export const residentMegabytes = (pid: number): number =>
  family(pid).reduce((sum, one) => sum + orZero(() => residentBytes(one)), 0) / 2 ** 20
