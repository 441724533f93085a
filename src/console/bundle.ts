import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { PageFile } from "./PagePack.ts"

/** The page's sources; the binary and the package don't have them. */
const app = join(import.meta.dirname, "../../console")

/** The path prefix of the page's scripts and styles. */
export const assetsPath = "/console/assets/"

/**
 * Builds the page: `index.html` and its assets, named by their content's hash.
 *
 * @param mode the page's `process.env.NODE_ENV`
 */
export const bundlePage = async (mode: "production" | "development"): Promise<ReadonlyArray<PageFile>> => {
  const { outputs } = await Bun.build({
    entrypoints: [join(app, "index.html")],
    target: "browser",
    minify: true,
    splitting: true,
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" }
  })
  return Promise.all(
    outputs.map(async (output) => {
      const isPage = output.type.startsWith("text/html")
      return {
        name: isPage ? "index.html" : (output.path.split("/").at(-1) ?? ""),
        type: output.type.replace(";charset=", "; charset="),
        // Scripts name each other by paths relative to their own; the page may be at any path below `/console`.
        bytes: isPage
          ? new TextEncoder().encode((await output.text()).replaceAll('="./', `="${assetsPath}`))
          : new Uint8Array(await output.arrayBuffer())
      }
    })
  )
}

/** The newest modification time of the page's sources, in Unix ms. */
export const newestSource = async (): Promise<number> => {
  const names = await readdir(app, { recursive: true })
  const times = await Promise.all(names.map(async (name) => (await stat(join(app, name))).mtimeMs))
  return Math.max(...times)
}
