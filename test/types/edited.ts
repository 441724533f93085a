import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** A file of `src/`, a text in it, and what stands there instead. */
export interface Edit {
  readonly file: string
  readonly text: string
  readonly instead: string
}

/**
 * Type-checks some files of `src/`, with all that they import, in a copy with edits.
 *
 * @returns the files with errors, each once, and what was printed
 */
export const complaintsAfter = async (
  edits: ReadonlyArray<Edit>,
  files: ReadonlyArray<string>
): Promise<{ readonly files: ReadonlyArray<string>; readonly printed: string }> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-types-"))
  try {
    cpSync(join(root, "src"), join(folder, "src"), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const { file, instead, text } of edits) {
      const path = join(folder, file)
      const before = readFileSync(path, "utf8")
      if (!before.includes(text)) throw new Error(`${file} has no ${text}`)
      writeFileSync(
        path,
        before.replace(text, () => instead)
      )
    }
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))
    const config = { compilerOptions: { ...compilerOptions, plugins: [] }, include: [], files }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const child = Bun.spawn([join(root, "node_modules/.bin/tsc"), "-p", "."], { cwd: folder, stdout: "pipe" })
    const printed = await new Response(child.stdout).text()
    await child.exited
    const named = [...printed.matchAll(/^(src\/[^(]+)\(\d+,\d+\): error/gm)].map(([, file = ""]) => file)
    return { files: [...new Set(named)].toSorted(), printed }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
