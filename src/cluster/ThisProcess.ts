import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { version } from "../../package.json"

/** A node's process. */
export interface ThisProcess {
  readonly name: string
  /** The same for processes in one PID namespace; random if unknown. */
  readonly machine: string
  readonly pid: number
  readonly version: string
}

export const thisProcess = (): ThisProcess => ({
  name: `${hostname()}:${process.pid}`,
  machine: machine(),
  pid: process.pid,
  version
})

/** The kernel's boot id and the PID namespace, of which each container has its own. */
const machine = (): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return crypto.randomUUID()
  }
}

/** True if a process exists on this machine, even if it is stopped. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
