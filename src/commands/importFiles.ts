import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { Conflict } from "../contract/failures/Failure.ts"
import type { Plan } from "../litellm/Plan.ts"

/** A file that an import writes. */
interface Written {
  readonly path: string
  readonly text: string
  readonly mode: number
}

/** The configuration at a path, and beside it `gateway.env` with the secrets, which only its owner can read. */
export const filesOf = ({ configuration, secrets }: Plan, out: string): ReadonlyArray<Written> => [
  { path: out, text: configuration, mode: 0o644 },
  ...(secrets.size === 0
    ? []
    : [
        {
          path: join(dirname(out), "gateway.env"),
          text: [...secrets].map(([name, value]) => `${name}=${quoted(value)}\n`).join(""),
          mode: 0o600
        }
      ])
]

/** Fails if a file is there with another text: nothing is overwritten. */
export const checkFiles = (files: ReadonlyArray<Written>): Effect.Effect<void, Conflict> =>
  Effect.forEach(
    files,
    ({ path, text }) =>
      Effect.suspend(() =>
        existsSync(path) && readFileSync(path, "utf8") !== text
          ? new Conflict({ code: null, message: `${path} is there already, with another text: nothing was written` })
          : Effect.void
      ),
    { discard: true }
  )

/** @returns the files that were not there */
export const writeFiles = (files: ReadonlyArray<Written>): Effect.Effect<ReadonlyArray<string>, Conflict> =>
  Effect.try({
    try: () =>
      files.flatMap(({ mode, path, text }) => {
        if (existsSync(path)) return []
        writeFileSync(path, text, { flag: "wx", mode })
        return [path]
      }),
    catch: (error) =>
      new Conflict({ code: null, message: `can't write: ${error instanceof Error ? error.message : "unknown"}` })
  })

/** A value for a shell: `'it'\''s'`. */
const quoted = (value: string) => (/^[\w./:@%+=-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`)
