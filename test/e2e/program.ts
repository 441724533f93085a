import { writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { bundlePage } from "../../src/console/bundle.ts"
import { packPage } from "../../src/console/packPage.ts"

const root = resolve(import.meta.dirname, "../..")

const source = (path: string, from = root) => resolve(from, "src", path)

/** Entry points that the program starts by file name, relative to the importing module. */
const beside = ["sandbox/video/worker.ts", "documents/process.ts"]

/**
 * Puts the program into few files of a folder: it starts four times as fast, and one run of the tests starts hundreds.
 *
 * @param from the folder whose `src` it is made of
 */
export const bundle = async (folder: string, from = root): Promise<string> => {
  const built = await Bun.build({
    entrypoints: ["main.ts", ...beside].map((path) => source(path, from)),
    target: "bun",
    outdir: folder,
    // Absolute, so that these files are found from any working directory.
    publicPath: `${folder}/`,
    splitting: true
  })
  if (!built.success) throw new AggregateError(built.logs, "the gateway does not build")
  await Bun.write(join(folder, "console.pack"), packPage(await bundlePage("production"), 5))
  for (const path of beside) writeFileSync(join(folder, basename(path)), `import "./${path.replace(/ts$/, "js")}"\n`)
  return join(folder, "main.js")
}

/** How the program is started: from its sources, or from what `TEST_GATEWAY` names, a bundle (`.js`) or the binary. */
export const program = (): readonly [string, ...ReadonlyArray<string>] => {
  const given = process.env["TEST_GATEWAY"]
  if (given === undefined) return [process.execPath, source("main.ts")]
  return given.endsWith(".js") ? [process.execPath, resolve(given)] : [resolve(given)]
}
