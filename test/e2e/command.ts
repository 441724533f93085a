import { shortLived } from "./process.ts"
import { program } from "./program.ts"

export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The output, parsed. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a test says what it expects
  readonly json: <A = unknown>() => A
}

/** Runs one command of the gateway in a process of its own, in a folder. */
export const runCommand = async (
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  input = ""
): Promise<CommandResult> => {
  const child = Bun.spawn([...program(), ...args], {
    cwd: folder,
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, USER: "operator", ...shortLived(), ...env }
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { code, out, err, json: () => JSON.parse(out) }
}
