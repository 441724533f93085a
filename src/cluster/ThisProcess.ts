import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { version } from "../../package.json"

/** What a node says of the process that it is. */
export interface ThisProcess {
  readonly name: string
  /** The same for processes that see each other by their ids; nobody else's where there is no telling. */
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

/** A start of a kernel, and within it whose processes these are: a container has its own. */
const machine = (): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return crypto.randomUUID()
  }
}

/** Whether a process of this machine is there; a stopped one is. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
