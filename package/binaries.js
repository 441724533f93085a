/*
 * The binaries of a release, one for each platform, with their checksums and a list of what is in them (CycloneDX), in
 * `dist/release`: `bun package/binaries.js [PLATFORM…]`. Bun takes what runs on other platforms from npm's registry.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { sbom } from "./sbom.js"

const root = dirname(import.meta.dirname)
const folder = join(root, "dist/release")

/** Each as the name of its binary and as Bun's `--target` say it. */
export const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"]

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
/** The build's steps; the last one compiles. */
const steps = scripts.build.split(" && ")
const outfile = "--outfile dist/gateway"

const run = (command) => {
  const { exitCode } = Bun.spawnSync(["sh", "-c", command], { cwd: root, stdout: "ignore", stderr: "inherit" })
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}`)
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  const unknown = given.filter((name) => !platforms.includes(name))
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: expected one of ${platforms.join(", ")}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const step of steps.slice(0, -1)) run(step)
  const files = []
  for (const platform of given.length > 0 ? given : platforms) {
    const file = `gateway-${platform}${platform.startsWith("windows") ? ".exe" : ""}`
    run(steps.at(-1).replace(outfile, `--target=bun-${platform} --outfile dist/release/${file}`))
    files.push(file)
  }
  writeFileSync(
    join(folder, "gateway.cdx.json"),
    sbom(JSON.parse(readFileSync(join(root, "dist/licenses.pack"), "utf8")))
  )
  const sums = [...files, "gateway.cdx.json"].map(
    (file) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex")}  ${file}\n`
  )
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
  process.stdout.write(sums.join(""))
}
