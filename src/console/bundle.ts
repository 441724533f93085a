import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { PageFile } from "./PagePack.ts"

/** Where the page's sources are; absent where only built files were shipped. */
const app = join(import.meta.dirname, "app")

/** Below which path the page's scripts and styles are served. */
export const assetsPath = "/console/assets/"

/**
 * Builds the page: `index.html`, and what it needs under names that change with what is in them.
 *
 * @param mode what `process.env.NODE_ENV` is to the page: what only "development" has is left out otherwise
 */
export const bundlePage = async (mode: "production" | "development"): Promise<ReadonlyArray<PageFile>> => {
  const { outputs } = await Bun.build({
    entrypoints: [join(app, "index.html")],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: assetsPath,
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" }
  })
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.type.startsWith("text/html") ? "index.html" : (output.path.split("/").at(-1) ?? ""),
      type: output.type.replace(";charset=", "; charset="),
      bytes: new Uint8Array(await output.arrayBuffer())
    }))
  )
}

/** When one of the page's sources was last written, in Unix ms. */
export const newestSource = async (): Promise<number> => {
  const names = await readdir(app, { recursive: true })
  const times = await Promise.all(names.map(async (name) => (await stat(join(app, name))).mtimeMs))
  return Math.max(...times)
}
