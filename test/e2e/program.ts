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

/**
 * Compiles the program as it is shipped: a process starts with two thirds of the CPU time that a bundle's needs.
 *
 * @param folder where the binary goes
 */
export const compile = async (folder: string): Promise<string> => {
  const [page, licenses, binary] = ["console.pack", "licenses.pack", "gateway"].map((name) => join(folder, name))
  await Bun.write(page!, packPage(await bundlePage("production"), 5))
  await Bun.write(licenses!, await ran([source("main.ts"), "licenses", "--json"]))
  const options = ["--compile", "--minify", "--bytecode", "--splitting", "--format=esm", "--asset-naming=[name].[ext]"]
  const quiet = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
  const sources = [source("main.ts"), source("sandbox/video/worker.ts"), page!, licenses!]
  await ran(["build", ...sources, `--root=${source(".")}`, ...options, ...quiet, "--outfile", binary!])
  return binary!
}

const ran = async (args: ReadonlyArray<string>): Promise<string> => {
  const child = Bun.spawn([process.execPath, ...args], { cwd: root, stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`bun ${args[0]} ended with ${code}:\n${out}${err}`)
  return out
}

/** How the program is started: from its sources, or from what `TEST_GATEWAY` names, a bundle (`.js`) or the binary. */
export const program = (): readonly [string, ...ReadonlyArray<string>] => {
  const given = process.env["TEST_GATEWAY"]
  if (given === undefined) return [process.execPath, source("main.ts")]
  return given.endsWith(".js") ? [process.execPath, resolve(given)] : [resolve(given)]
}
