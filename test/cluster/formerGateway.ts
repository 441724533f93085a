import { mkdirSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { bundle } from "../e2e/program.ts"

const root = resolve(import.meta.dirname, "../..")

/**
 * The gateway of a commit of this repository, on the packages of now.
 * @returns its program
 */
export const formerGateway = async (folder: string, commit: string): Promise<string> => {
  mkdirSync(folder)
  const archive = Bun.spawn(["git", "archive", commit], { cwd: root })
  const unpacked = Bun.spawn(["tar", "-x", "-C", folder], { stdin: archive.stdout })
  if ((await unpacked.exited) !== 0) throw new Error(`there is no commit ${commit} here`)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return bundle(join(folder, "program"), folder)
}
