import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where Linux keeps files in memory. */
const inMemory = "/dev/shm"
const tmpfs = 0x01021994

/** More than the files of a run come to. */
const neededBytes = 8 * 2 ** 30

/**
 * The folder in which a run makes its own: in memory, if the machine has enough of it. SQLite waits for the disk at each
 * commit, which takes a quarter of the suite's time. `TMPDIR` chooses another.
 */
export const fastFolder = (): string =>
  process.env["TMPDIR"] === undefined && isRoomy(inMemory) && runsPrograms(inMemory) ? inMemory : tmpdir()

const isRoomy = (folder: string): boolean => {
  if (!existsSync(folder)) return false
  const { bavail, bsize, type } = statfsSync(folder)
  return type === tmpfs && Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
}

/** Containers often mount it `noexec`. */
const runsPrograms = (folder: string): boolean => {
  const own = mkdtempSync(join(folder, "gateway-runs-"))
  try {
    writeFileSync(join(own, "program"), "#!/bin/sh\n", { mode: 0o700 })
    return Bun.spawnSync([join(own, "program")]).exitCode === 0
  } catch {
    return false
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
