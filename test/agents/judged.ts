import type { ProgramName } from "./programs.ts"
import type { Folder, Ran } from "./run.ts"
import { makeFolder } from "./run.ts"
import type { World } from "./world.ts"

export interface Scenario {
  readonly program: ProgramName
  readonly name: string
  /** What is wrong; undefined where it went well. */
  readonly run: (world: World) => Promise<string | undefined>
}

/** A prompt that has the fake model call a tool. */
export const order = (tool: string, input: object) => `Please do [[call ${tool} ${JSON.stringify(input)}]]`

/** The program said what it should, and the gateway refused nothing of what it sent. */
export const judged = async (
  { answered }: World,
  { code, output }: Ran,
  expected: string
): Promise<string | undefined> => {
  const statuses = await answered()
  if (code !== 0) return `ended with ${code}: ${output.slice(-300)}`
  if (!output.includes(expected)) return `did not say ${JSON.stringify(expected)}: ${output.slice(-300)}`
  if (statuses.length === 0) return "asked nothing"
  return statuses.some((status) => status >= 400) ? `was answered ${statuses.join(", ")}` : undefined
}

export const inFolder = async <A>(files: Record<string, string>, use: (folder: Folder) => Promise<A>): Promise<A> => {
  const folder = makeFolder(files)
  try {
    return await use(folder)
  } finally {
    folder.dispose()
  }
}
