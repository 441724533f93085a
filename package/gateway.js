#!/usr/bin/env node
/*
 * The command `gateway` of the package: Bun, which the package depends on, runs the command line. Where an installation
 * ran no scripts, the `bun` package is a placeholder, and its binary is in the package of this platform.
 */
import { spawn } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)

/** A placeholder is a few hundred bytes. */
const isBinary = (path) => existsSync(path) && statSync(path).size > 1_000_000

const findBun = () => {
  const from = createRequire(import.meta.url)
  const bun = dirname(from.resolve("bun/package.json"))
  const installed = join(bun, "bin", "bun.exe")
  if (isBinary(installed)) return installed
  const { optionalDependencies = {} } = from("bun/package.json")
  const near = createRequire(join(bun, "package.json"))
  for (const name of Object.keys(optionalDependencies)) {
    if (!name.includes(process.arch === "arm64" ? "aarch64" : process.arch)) continue
    try {
      const folder = join(dirname(near.resolve(`${name}/package.json`)), "bin")
      const found = [join(folder, "bun"), join(folder, "bun.exe")].find(isBinary)
      if (found !== undefined) return found
    } catch {
      // Another platform's: not installed here.
    }
  }
  console.error(
    "gateway: the `bun` dependency has no binary for this platform; install it again without --omit=optional"
  )
  process.exit(1)
}

const child = spawn(
  findBun(),
  // The working directory's own bunfig.toml and .env are not the gateway's business.
  [`--config=${join(root, "bunfig.toml")}`, join(root, "dist", "package", "src", "main.js"), ...process.argv.slice(2)],
  { stdio: "inherit" }
)
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("error", (error) => {
  console.error(`gateway: ${error.message}`)
  process.exit(1)
})
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
