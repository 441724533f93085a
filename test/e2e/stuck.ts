import { readdirSync, readFileSync } from "node:fs"

/** Where each thread of a process waits in the kernel, for the message of a test that waits in vain. */
export const threadsOf = (pid: number): string => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((id) => {
        const read = (name: string) => readFileSync(`/proc/${pid}/task/${id}/${name}`, "utf8").trim()
        return `${read("comm")}: ${/^State:\s*(.*)$/m.exec(read("status"))?.[1]}, in ${read("wchan")}`
      })
      .join("\n")
  } catch {
    // There is no /proc, or the process has ended meanwhile.
    return ""
  }
}
