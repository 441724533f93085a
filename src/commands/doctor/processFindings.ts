import { readFileSync } from "node:fs"
import { descriptors } from "../../flow/Descriptors.ts"
import { ok, problem, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

/** Files below which a gateway refuses requests soon: a request has one at its client and one at its upstream. */
const fewFiles = 1_024
const someFiles = 8_192
/** Memory of an idle process with its usual models, and some requests. */
const leastBytes = 256 * 1024 ** 2

/** Limits of the process, which a gateway that is started the same way has too. */
export const processFindings = (
  workers: number,
  files = descriptors.limit,
  memory = process.constrainedMemory(),
  fileBytes = mostFileBytes()
): ReadonlyArray<Finding> => [filesFinding(files), memoryFinding(workers, memory), ...fileFindings(fileBytes)]

/** `RLIMIT_FSIZE`; Infinity if there is none, or no `/proc`. */
const mostFileBytes = (): number => {
  try {
    const [, soft] = /^Max file size\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}

const fileFindings = (limit: number): ReadonlyArray<Finding> =>
  limit === Infinity
    ? []
    : [
        problem(
          "file size",
          `at most ${limit} bytes: a database or a file that grows beyond can't be written`,
          "Remove the limit: `ulimit -f unlimited` (LimitFSIZE=infinity of systemd, --ulimit fsize=-1 of Docker)."
        )
      ]

const filesFinding = (limit: number): Finding => {
  const message = `${limit} at once: about ${Math.floor((limit * 3) / 8)} running requests`
  const remedy = "Raise `ulimit -n` (LimitNOFILE of systemd, --ulimit nofile of Docker) to 65536."
  if (limit < fewFiles) return problem("open files", message, remedy)
  return limit < someFiles ? warning("open files", message, remedy) : ok("open files", message)
}

/** @param limit the cgroup's; 0 or more than the machine has if there is none */
const memoryFinding = (workers: number, limit: number): Finding => {
  const mib = Math.round(limit / 1024 ** 2)
  if (limit <= 0 || limit > 2 ** 50) return ok("memory", "no limit of a container")
  const each = limit / workers
  const message = `${mib} MiB${workers === 1 ? "" : ` for ${workers} workers`}`
  return each < leastBytes
    ? problem(
        "memory",
        message,
        `Raise the container's limit to ${256 * workers} MiB or more, or lower server.workers.`
      )
    : ok("memory", message)
}
